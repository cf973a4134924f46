// The search of a site that was opened as a file, where browsers neither start a worker nor fetch its index. Loaded before the
// theme's own script, which takes the index from __search and makes a Worker: this one runs on the page's own thread.
// hooks.py puts the index and the program of the worker in.
(() => {
  const program = (self, addEventListener, postMessage) => {
    /* WORKER */
  };

  class PageWorker extends EventTarget {
    constructor() {
      super();
      program(window, (type, handler) => (this.handler = handler), (data) => this.answer(data));
    }
    postMessage(data) {
      setTimeout(() => this.handler({ data }));
    }
    answer(data) {
      this.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {}
  }

  window.Worker = PageWorker;
  window.__search = { index: Promise.resolve(/* INDEX */) };
})();

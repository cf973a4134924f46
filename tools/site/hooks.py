"""What mkdocs does at the end of a build: the search's index and program also as one script, for a site that is opened as a file."""

import glob
import os
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def file_search(template, index, worker):
    worker = "\n".join(line for line in worker.split("\n") if not line.startswith("//# sourceMappingURL"))
    return template.replace("/* WORKER */", worker).replace("/* INDEX */", index)


def on_post_build(config, **_):
    site = config["site_dir"]
    workers = glob.glob(os.path.join(site, "assets", "javascripts", "workers", "search.*.js"))
    if not workers:
        sys.exit("tools/site: this version of the theme has no worker for its search where the last one had it")
    template = read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "file-search.js"))
    script = file_search(template, read(os.path.join(site, "search", "search_index.json")), read(workers[0]))
    with open(os.path.join(site, "search", "file-search.js"), "w", encoding="utf-8") as file:
        file.write(script)

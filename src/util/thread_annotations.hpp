// Which lock guards what, told to the compiler: clang's -Wthread-safety checks it (tools/check_locks), others read over
// it. https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
//
//   int count_ POLDER_GUARDED_BY(lock_);         read and written with the lock held
//   void grow() POLDER_REQUIRES(lock_);          called with the lock held
//   bool enter() POLDER_TRY_ACQUIRE(true, lock_);
//
// A lambda is a function of its own to the analysis: one that runs under the lock begins with lock_.assert_held().
#pragma once

#if defined(__clang__)
#define POLDER_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define POLDER_THREAD_ATTRIBUTE(attribute)
#endif

#define POLDER_CAPABILITY(name) POLDER_THREAD_ATTRIBUTE(capability(name))
#define POLDER_SCOPED_CAPABILITY POLDER_THREAD_ATTRIBUTE(scoped_lockable)
#define POLDER_GUARDED_BY(...) POLDER_THREAD_ATTRIBUTE(guarded_by(__VA_ARGS__))
#define POLDER_REQUIRES(...) POLDER_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define POLDER_EXCLUDES(...) POLDER_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define POLDER_ACQUIRE(...) POLDER_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define POLDER_TRY_ACQUIRE(...) POLDER_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define POLDER_RELEASE(...) POLDER_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define POLDER_ASSERT_CAPABILITY(...) POLDER_THREAD_ATTRIBUTE(assert_capability(__VA_ARGS__))
#define POLDER_UNCHECKED_LOCKS POLDER_THREAD_ATTRIBUTE(no_thread_safety_analysis)

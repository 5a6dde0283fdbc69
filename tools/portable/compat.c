// SPDX-License-Identifier: Apache-2.0
// Functions and start code that the portable programs need and that glibc 2.28 lacks.
//
// g++ 12 of Debian 12 compiles against glibc 2.36. Its libstdc++ and dlscale's objects call a few
// functions that newer versions of glibc introduced. This file implements these functions with
// older ones. All symbols are hidden, so that the shared libraries of the process keep using the
// functions of the C library.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#pragma GCC visibility push(hidden)

// Before version 2.33, glibc exported `stat` and its relatives only under these names, with the
// version of the structure as the first argument. On x86-64 this version is 1.
extern int __xstat(int version, const char* path, struct stat* out)
    __attribute__((visibility("default")));
extern int __lxstat(int version, const char* path, struct stat* out)
    __attribute__((visibility("default")));
extern int __fxstat(int version, int file, struct stat* out) __attribute__((visibility("default")));
extern int __fxstatat(int version, int folder, const char* path, struct stat* out, int flags)
    __attribute__((visibility("default")));
enum { kStatVersion = 1 };

int stat(const char* path, struct stat* out) {
  return __xstat(kStatVersion, path, out);
}
int lstat(const char* path, struct stat* out) {
  return __lxstat(kStatVersion, path, out);
}
int fstat(int file, struct stat* out) {
  return __fxstat(kStatVersion, file, out);
}
int fstatat(int folder, const char* path, struct stat* out, int flags) {
  return __fxstatat(kStatVersion, folder, path, out, flags);
}
// On x86-64 `struct stat` and `struct stat64` are the same.
extern int stat64(const char* path, struct stat64* out) __attribute__((alias("stat")));
extern int lstat64(const char* path, struct stat64* out) __attribute__((alias("lstat")));
extern int fstat64(int file, struct stat64* out) __attribute__((alias("fstat")));
extern int fstatat64(int folder, const char* path, struct stat64* out, int flags)
    __attribute__((alias("fstatat")));

// libstdc++ skips atomic operations while this is true. glibc sets it since version 2.32; here it
// stays false.
char __libc_single_threaded = 0;

// std::random_device of libstdc++ calls this function of glibc 2.36.
uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
  }
  return value;
}

// std::condition_variable::wait_for calls this function of glibc 2.30. Before, a condition variable
// could only wait until a time of the clock that it was created with, which is the realtime clock.
// A change of the realtime clock during the wait changes its length. The callers wait in loops that
// check their condition.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  const long kNanoseconds = 1000000000L;
  struct timespec now, real;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &real) != 0) return EINVAL;
  struct timespec wait = {until->tv_sec - now.tv_sec, until->tv_nsec - now.tv_nsec};
  if (wait.tv_nsec < 0) wait = (struct timespec){wait.tv_sec - 1, wait.tv_nsec + kNanoseconds};
  if (wait.tv_sec < 0) return ETIMEDOUT;
  struct timespec end = {real.tv_sec + wait.tv_sec, real.tv_nsec + wait.tv_nsec};
  if (end.tv_nsec >= kNanoseconds)
    end = (struct timespec){end.tv_sec + 1, end.tv_nsec - kNanoseconds};
  return pthread_cond_timedwait(condition, mutex, &end);
}

// Since version 2.34, glibc calls the constructors of the program. Before, the start code of the
// program did, which the start code of Debian 12 no longer does. The linker option
// --wrap=__libc_start_main makes the start code call the function below, which passes the
// constructors as older start code did.
typedef void (*Constructor)(int, char**, char**);
extern Constructor __init_array_start[], __init_array_end[];
extern void _init(void);

static void run_constructors(int argc, char** argv, char** environment) {
  _init();
  for (Constructor* each = __init_array_start; each != __init_array_end; ++each)
    (*each)(argc, argv, environment);
}

extern int __real___libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                                    void (*init)(int, char**, char**), void (*fini)(void),
                                    void (*loader_fini)(void), void* stack_end)
    __attribute__((visibility("default")));

int __wrap___libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                             void (*init)(int, char**, char**), void (*fini)(void),
                             void (*loader_fini)(void), void* stack_end) {
  (void)init;
  return __real___libc_start_main(main, argc, argv, run_constructors, fini, loader_fini, stack_end);
}

#pragma GCC visibility pop

/** A wall clock that can be set, for the workerd of one instance. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Monotonic clocks stay. @param file has the difference: seconds, as an integer of C */
const source = (file: string) => `#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile int *differs;
__attribute__((constructor)) static void begin(void) {
  differs = mmap(0, sizeof(int), PROT_READ, MAP_SHARED, open("${file}", O_RDONLY), 0);
}
int clock_gettime(clockid_t id, struct timespec *at) {
  int failed = syscall(SYS_clock_gettime, id, at);
  if (!failed && differs && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += *differs;
  return failed;
}
int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}
`

interface MovableClock {
  /** Of the instance, which starts workerd by `setpriv`: there it finds one that preloads the functions above. */
  readonly env: Readonly<Record<string, string>>
  /** @param seconds by which the clock differs from now on */
  set(seconds: number): void
  /** Why the clock cannot be set: there is no C compiler, or no headers of the C library. */
  readonly problem: string | undefined
}

export function movableClock(folder: string): MovableClock {
  const file = join(folder, 'differs')
  const library = join(folder, 'clock.so')
  const bin = join(folder, 'bin')
  const set = (seconds: number) => writeFileSync(file, new Int32Array([seconds]), { flag: 'r+' })
  writeFileSync(file, new Int32Array(1))
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-x', 'c', '-o', library, '-'], {
    input: source(file),
  })
  if (status !== 0)
    return { env: {}, set, problem: 'cc compiles no C (Debian: apt-get install gcc libc6-dev)' }
  const setpriv = execFileSync('sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).trim()
  mkdirSync(bin)
  const wrapper = join(bin, 'setpriv')
  writeFileSync(wrapper, `#!/bin/sh\nLD_PRELOAD=${library} exec ${setpriv} "$@"\n`)
  chmodSync(wrapper, 0o755)
  return { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` }, set, problem: undefined }
}

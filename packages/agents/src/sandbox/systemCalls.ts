/** What a filter of one architecture is made of. */
export interface ArchitectureTable {
  /** `AUDIT_ARCH_*` of linux/audit.h. */
  readonly audit: number;
  /** Numbers from here on are another calling convention (x32 on x64), and end the process. */
  readonly foreignFrom: number | null;
  readonly allowed: Readonly<Record<string, number>>;
  readonly clone: number;
  readonly clone3: number;
  readonly ioctl: number;
  /** Calls that no honest worker tries: the process ends instead of hearing an error. */
  readonly fatal: Readonly<Record<string, number>>;
}

/**
 * Taken from the kernel's headers, and compared with a trace of a real run (facts in docs/sandbox.md). Absent on purpose:
 * socket, connect, bind, sendmsg, recvmsg, kill, getdents64, memfd_create, io_uring_*, execveat. `execve` is there because
 * bubblewrap loads the filter before it starts Node. Trace again with every new Node or C library.
 */
const x64: ArchitectureTable = {
  audit: 0xc000003e,
  foreignFrom: 0x40000000,
  // biome-ignore format: a table
  allowed: {
    read: 0, write: 1, readv: 19, writev: 20, close: 3, fstat: 5, newfstatat: 262, statx: 332, lseek: 8, pread64: 17, openat: 257,
    readlink: 89, access: 21, mmap: 9, mprotect: 10, munmap: 11, mremap: 25, brk: 12, madvise: 28, futex: 202, rt_sigaction: 13,
    rt_sigprocmask: 14, rt_sigreturn: 15, sigaltstack: 131, epoll_create1: 291, epoll_ctl: 233, epoll_pwait: 281, epoll_wait: 232, poll:
    7, eventfd2: 290, pipe2: 293, fcntl: 72, dup: 32, dup2: 33, dup3: 292, getsockname: 51, getsockopt: 55, shutdown: 48, getpid: 39,
    gettid: 186, getppid: 110, getuid: 102, geteuid: 107, getgid: 104, getegid: 108, capget: 125, uname: 63, sysinfo: 99, getrandom:
    318, getcwd: 79, sched_yield: 24, sched_getaffinity: 204, clock_gettime: 228, clock_getres: 229, clock_nanosleep: 230, nanosleep:
    35, gettimeofday: 96, getrusage: 98, times: 100, prlimit64: 302, getrlimit: 97, arch_prctl: 158, set_tid_address: 218,
    set_robust_list: 273, rseq: 334, pkey_alloc: 330, membarrier: 324, execve: 59, wait4: 61, exit: 60, exit_group: 231, tgkill: 234,
    restart_syscall: 219,
  },
  clone: 56,
  clone3: 435,
  ioctl: 16,
  // biome-ignore format: a table
  fatal: {
    ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, mount: 165, umount2: 166, pivot_root: 155, setns: 308, unshare: 272,
    bpf: 321, init_module: 175, finit_module: 313, delete_module: 176, kexec_load: 246, keyctl: 250, add_key: 248, request_key: 249,
  },
};

/** From the generic table of the kernel, which has only the `*at` forms. Not run on such a machine yet. */
const arm64: ArchitectureTable = {
  audit: 0xc00000b7,
  foreignFrom: null,
  // biome-ignore format: a table
  allowed: {
    read: 63, write: 64, readv: 65, writev: 66, close: 57, fstat: 80, newfstatat: 79, statx: 291, lseek: 62, pread64: 67, openat: 56,
    mmap: 222, mprotect: 226, munmap: 215, mremap: 216, brk: 214, madvise: 233, futex: 98, rt_sigaction: 134, rt_sigprocmask: 135,
    rt_sigreturn: 139, sigaltstack: 132, epoll_create1: 20, epoll_ctl: 21, epoll_pwait: 22, eventfd2: 19, pipe2: 59, fcntl: 25, dup: 23,
    dup3: 24, getsockname: 204, getsockopt: 209, shutdown: 210, getpid: 172, gettid: 178, getppid: 173, getuid: 174, geteuid: 175,
    getgid: 176, getegid: 177, capget: 90, uname: 160, sysinfo: 179, getrandom: 278, getcwd: 17, sched_yield: 124, sched_getaffinity:
    123, clock_gettime: 113, clock_getres: 114, clock_nanosleep: 115, nanosleep: 101, gettimeofday: 169, getrusage: 165, times: 153,
    prlimit64: 261, getrlimit: 163, set_tid_address: 96, set_robust_list: 99, rseq: 293, pkey_alloc: 289, membarrier: 283, execve: 221,
    wait4: 260, exit: 93, exit_group: 94, tgkill: 131, restart_syscall: 128, readlinkat: 78, faccessat: 48, ppoll: 73,
  },
  clone: 220,
  clone3: 435,
  ioctl: 29,
  // biome-ignore format: a table
  fatal: {
    ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, mount: 40, umount2: 39, pivot_root: 41, setns: 268, unshare: 97, bpf:
    280, init_module: 105, finit_module: 273, delete_module: 106, kexec_load: 104, keyctl: 219, add_key: 217, request_key: 218,
  },
};

/** By Node's name of the architecture. One that is not here has no sandbox. */
export const architectures: Readonly<Record<string, ArchitectureTable>> = { x64, arm64 };

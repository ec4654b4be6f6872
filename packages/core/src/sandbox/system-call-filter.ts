/**
 * Builds a seccomp program that blocks system calls reaching beyond the namespaces. Without `unix`, servers cannot be
 * reached through their socket files. Returns undefined for processors with unknown call numbers, which rely on the
 * namespaces alone.
 */
export function systemCallFilter(processor: string = process.arch, { unix = true } = {}): Buffer | undefined {
  if (processor !== 'x64' && processor !== 'arm64') return undefined
  const program = [
    load(offsets.processor),
    ...unlessEqual(audits[processor], [refuse(errors.EPERM)]),
    load(offsets.number),
    // The x32 call numbers of the same processor.
    ...(processor === 'x64' ? [jump(codes.atLeast, 0x4000_0000, 0, 1), refuse(errors.EPERM)] : []),
    ...Object.values(refused).flatMap((numbers) => ifEqual(numbers[processor], [refuse(errors.EPERM)])),
    // ENOSYS makes programs that know these calls fall back.
    ...unseenCalls.flatMap((number) => ifEqual(number, [refuse(errors.ENOSYS)])),
    // New namespaces would give a process rights over them and enlarge the kernel's attack surface.
    ...[calls.clone, calls.unshare].flatMap((numbers) =>
      ifEqual(numbers[processor], [
        load(offsets.first),
        jump(codes.anyOf, newNamespaces, 0, 1),
        refuse(errors.EPERM),
        allow,
      ]),
    ),
    ...ifEqual(calls.socket[processor], [
      load(offsets.first),
      ...families.filter((family) => unix || family !== 1).flatMap((family) => ifEqual(family, [allow])),
      refuse(errors.EAFNOSUPPORT),
    ]),
    ...ifEqual(calls.ioctl[processor], [
      load(offsets.second),
      ...typingRequests.flatMap((request) => ifEqual(request, [refuse(errors.EPERM)])),
      allow,
    ]),
    allow,
  ]
  return Buffer.concat(program)
}

/**
 * Socket families that the network namespace confines: unix, inet, inet6, netlink. The family for reaching a VM host is
 * not confined.
 */
const families = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX inject input for the next reader of the terminal. */
const typingRequests = [0x5412, 0x541c]
/** io_uring and clone3: a filter cannot inspect their arguments. */
const unseenCalls = [425, 426, 427, 435]
const newNamespaces = 0x7e02_0000

const calls = {
  socket: { x64: 41, arm64: 198 },
  ioctl: { x64: 16, arm64: 29 },
  clone: { x64: 56, arm64: 220 },
  unshare: { x64: 272, arm64: 97 },
}

/** Keys, system tracing, file handles, mounts, other namespaces, modules, the kernel log, reboot. */
const refused = {
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsmount: { x64: 432, arm64: 432 },
  mount_setattr: { x64: 442, arm64: 442 },
  setns: { x64: 308, arm64: 268 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  quotactl: { x64: 179, arm64: 60 },
  acct: { x64: 163, arm64: 89 },
  syslog: { x64: 103, arm64: 116 },
}

/** Offsets in the kernel's data about a call. For arguments, the lower half. */
const offsets = { number: 0, processor: 4, first: 16, second: 24 }
const audits = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
const codes = { load: 0x20, equal: 0x15, atLeast: 0x35, anyOf: 0x45, end: 0x06 }
const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 }

const allow = instruction(codes.end, 0, 0, 0x7fff_0000)

function refuse(error: number): Buffer {
  return instruction(codes.end, 0, 0, 0x0005_0000 | error)
}

function load(offset: number): Buffer {
  return instruction(codes.load, 0, 0, offset)
}

function ifEqual(value: number, then: Buffer[]): Buffer[] {
  return [jump(codes.equal, value, 0, then.length), ...then]
}

function unlessEqual(value: number, then: Buffer[]): Buffer[] {
  return [jump(codes.equal, value, then.length, 0), ...then]
}

function jump(code: number, value: number, whenTrue: number, whenFalse: number): Buffer {
  return instruction(code, whenTrue, whenFalse, value)
}

/** Encodes an instruction for the kernel. Both architectures are little-endian. */
function instruction(code: number, whenTrue: number, whenFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(whenTrue, 2)
  bytes.writeUInt8(whenFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}

/**
 * A program for the kernel that says which system calls do not work inside: those that reach what no namespace keeps
 * apart. Undefined for processors whose numbers we do not know; there the namespaces have to do.
 */
export function systemCallFilter(processor: string = process.arch): Buffer | undefined {
  const numbers = processors[processor]
  if (numbers === undefined) return undefined
  const program = [
    load(offsets.processor),
    ...unlessEqual(numbers.audit, [refuse(errors.EPERM)]),
    load(offsets.number),
    // Another way to count the calls of the same processor.
    ...(processor === 'x64' ? [jump(codes.atLeast, 0x4000_0000, 0, 1), refuse(errors.EPERM)] : []),
    ...numbers.refused.flatMap((number) => ifEqual(number, [refuse(errors.EPERM)])),
    // Programs that know these do without them when they are told that there are none.
    ...unseenCalls.flatMap((number) => ifEqual(number, [refuse(errors.ENOSYS)])),
    // Namespaces of its own would give it rights over them, and the kernel more to guard.
    ...numbers.makers.flatMap((number) =>
      ifEqual(number, [load(offsets.first), jump(codes.anyOf, newNamespaces, 0, 1), refuse(errors.EPERM), allow]),
    ),
    ...ifEqual(numbers.socket, [
      load(offsets.first),
      ...families.flatMap((family) => ifEqual(family, [allow])),
      refuse(errors.EAFNOSUPPORT),
    ]),
    ...ifEqual(numbers.ioctl, [
      load(offsets.second),
      ...typingRequests.flatMap((request) => ifEqual(request, [refuse(errors.EPERM)])),
      allow,
    ]),
    allow,
  ]
  return Buffer.concat(program)
}

/** Sockets that the network namespace confines: unix, inet, inet6, netlink. A virtual machine's own way out is not. */
const families = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX: typing for whoever reads the terminal next. */
const typingRequests = [0x5412, 0x541c]
/** io_uring, and clone3: what they are about cannot be looked at from here. */
const unseenCalls = [425, 426, 427, 435]
/** All flags that ask for a new namespace. */
const newNamespaces = 0x7e02_0000

interface Numbers {
  audit: number
  socket: number
  ioctl: number
  /** clone and unshare. */
  makers: number[]
  /** Keys, tracing of the machine, file handles, mounts, modules, the log and the end of the kernel. */
  refused: number[]
}

const mountCalls = [428, 429, 430, 432, 442]
const processors: Record<string, Numbers> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    ioctl: 16,
    makers: [56, 272],
    refused: [
      ...[248, 249, 250, 321, 298, 323, 303, 304, 165, 166, 155, 308, 246, 320, 175, 313, 176, 179, 167, 168, 169, 163],
      ...[103, ...mountCalls],
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    ioctl: 29,
    makers: [220, 97],
    refused: [
      ...[217, 218, 219, 280, 241, 282, 264, 265, 40, 39, 41, 268, 104, 294, 105, 273, 106, 60, 224, 225, 142, 89],
      ...[116, ...mountCalls],
    ],
  },
}

/** Where the kernel puts what a call is about. Of arguments, the lower half. */
const offsets = { number: 0, processor: 4, first: 16, second: 24 }
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

/** As the kernel reads it: both kinds of processor have the low byte first. */
function instruction(code: number, whenTrue: number, whenFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(whenTrue, 2)
  bytes.writeUInt8(whenFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}

import { NamedError } from '@troupe/protocol'

type StorageFault = [name: string, status: number, message: string]

const diskFull: StorageFault = [
  'DiskFull',
  507,
  'The disk is full, so this was not saved. Free some space, then try again.',
]
const damaged: StorageFault = [
  'DatabaseDamaged',
  500,
  'Part of the database cannot be read. Stop Troupe and run "troupe doctor" to see how to get your chats back.',
]
const readOnly: StorageFault = [
  'NotWritable',
  507,
  "Troupe is not allowed to write to its data folder, so this was not saved. Check the folder's owner and permissions, then try again.",
]
const tooManyFiles: StorageFault = [
  'TooManyFiles',
  503,
  'Too many files are open. Try again in a moment. If this keeps happening, raise the limit (ulimit -n).',
]
const diskFailed: StorageFault = [
  'DiskFailed',
  500,
  'The disk reported an error, so this was not saved. Check the disk, then try again.',
]
const notOpened: StorageFault = [
  'DatabaseNotOpened',
  503,
  'A database file cannot be opened. Too many files may be open (ulimit -n), or the data folder was moved.',
]
const busy: StorageFault = ['DatabaseBusy', 503, 'Another program is using the database. Stop it, then try again.']

const serverFull: StorageFault = [
  'DiskFull',
  507,
  'The disk of the database server is full, so this was not saved. Tell the administrator.',
]
const serverReadOnly: StorageFault = [
  'NotWritable',
  503,
  'The database is read-only at the moment, so this was not saved. Try again in a moment.',
]
const serverBusy: StorageFault = ['DatabaseBusy', 503, 'The database is busy. Try again in a moment.']

/** Of Postgres: disk full, out of memory, read-only, statement and lock timeouts, conflicts with other servers. */
const bySqlState: Record<string, StorageFault> = {
  '53100': serverFull,
  '53200': serverBusy,
  '25006': serverReadOnly,
  '57014': serverBusy,
  '55P03': serverBusy,
  '40001': serverBusy,
  '40P01': serverBusy,
}
const bySystemCode: Record<string, StorageFault> = {
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  EROFS: readOnly,
  EIO: diskFailed,
}
const bySqliteCode: Record<number, StorageFault> = {
  5: busy,
  6: busy,
  8: readOnly,
  10: diskFailed,
  11: damaged,
  13: diskFull,
  14: notOpened,
  26: damaged,
}

/** True if a database server failed, and not the work: after a while the same work may succeed. */
export function isServerFault(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'DatabaseUnavailable') return true
    if ('code' in cause && typeof cause.code === 'string' && cause.code in bySqlState) return true
  }
  return false
}

/** True if the answer to a statement was lost, so that it may have been executed. */
export function isInDoubt(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof NamedError && cause.name === 'DatabaseUnavailable') return cause.data['isSent'] === true
  return false
}

/** Converts disk, file and database errors to a named error. Returns undefined for any other error. */
export function storageFault(error: unknown): NamedError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const fault = classifyFault(cause as Error & { code?: unknown; errcode?: unknown })
    if (fault !== undefined) return new NamedError(fault[0], fault[2], { status: fault[1], cause: error })
  }
  return undefined
}

function classifyFault({ code, errcode }: { code?: unknown; errcode?: unknown }): StorageFault | undefined {
  // The low byte is the primary code, the rest is detail.
  if (typeof errcode === 'number') return bySqliteCode[errcode & 0xff]
  return typeof code === 'string' ? (bySystemCode[code] ?? bySqlState[code]) : undefined
}

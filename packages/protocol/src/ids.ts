import { z } from 'zod'

/**
 * Session, message and agent ids become file names, so other characters are refused. They also become object keys, so
 * `__proto__` is refused.
 */
export const idPattern = /^(?!__proto__$)[A-Za-z0-9_-]{1,64}$/

export const idSchema = z.string().regex(idPattern, 'an id is 1 to 64 letters, digits, "_" or "-"')

export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns a new id that sorts by creation time: nine characters of time, fifteen random ones. */
export function newId(prefix = ''): string {
  let time = Date.now()
  let head = ''
  for (let i = 0; i < 9; i++) {
    head = alphabet.charAt(time % 62) + head
    time = Math.floor(time / 62)
  }
  if (unused + randomLength > randomBytes.length) {
    crypto.getRandomValues(randomBytes)
    unused = 0
  }
  let tail = ''
  for (let i = 0; i < randomLength; i++) tail += alphabet.charAt(randomBytes[unused++]! % 62)
  return prefix + head + tail
}

const randomLength = 15
/** Filled for many ids at once, since each call has its price. */
const randomBytes = new Uint8Array(64 * randomLength)
let unused = randomBytes.length

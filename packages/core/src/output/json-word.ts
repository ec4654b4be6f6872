export interface JsonWord {
  value: string | number | boolean | null
  /** Whether JSON itself spells it like this. */
  clean: boolean
}

const strictNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const looseNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const hexNumber = /^[+-]?0[xX][\da-fA-F]+$/

const yes: JsonWord = { value: true, clean: true }
const no: JsonWord = { value: false, clean: true }
const nothing: JsonWord = { value: null, clean: true }

const looseWords = new Map<string, JsonWord>([
  ['True', { value: true, clean: false }],
  ['False', { value: false, clean: false }],
  ['None', { value: null, clean: false }],
  ['undefined', { value: null, clean: false }],
  ['NaN', { value: Number.NaN, clean: false }],
  ['Infinity', { value: Infinity, clean: false }],
  ['+Infinity', { value: Infinity, clean: false }],
  ['-Infinity', { value: -Infinity, clean: false }],
])

/** A number or literal as JSON writes it, or as JavaScript and Python do. Undefined for other words. */
export function readWord(text: string): JsonWord | undefined {
  if (text.charCodeAt(0) <= 0x39) {
    const small = smallInteger(text)
    if (small !== undefined) return { value: small, clean: true }
    if (strictNumber.test(text)) return { value: Number(text), clean: true }
  }
  if (text === 'true') return yes
  if (text === 'false') return no
  if (text === 'null') return nothing
  const literal = looseWords.get(text)
  if (literal !== undefined) return literal
  if (looseNumber.test(text)) return { value: Number(text), clean: false }
  if (!hexNumber.test(text)) return undefined
  const sign = text.startsWith('-') ? -1 : 1
  return { value: sign * Number(text.replace(/^[+-]/, '')), clean: false }
}

/** Most numbers are short and whole: reading them by hand is several times faster. */
function smallInteger(text: string): number | undefined {
  const { length } = text
  if (length > 9 || length === 0 || (length > 1 && text.charCodeAt(0) === 0x30)) return undefined
  let number = 0
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return number
}

/** What is left of a word after which the text broke off: `tru` can only be true, `12.` is at least 12. */
export function readCutWord(text: string): JsonWord | undefined {
  const literal = ['true', 'false', 'null'].find((name) => text !== '' && name.startsWith(text))
  return readWord(literal ?? text) ?? readWord(text.replace(/(?:\.|\.?[eE][+-]?)$/, ''))
}

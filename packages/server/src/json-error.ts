export interface JsonError {
  line: number
  column: number
  /** What is wrong there. Never quotes the text: it may hold keys. */
  message: string
}

/** Where a text stops being JSON, which `JSON.parse` does not always say. Undefined when it is JSON. */
export function findJsonError(text: string): JsonError | undefined {
  let at = 0
  try {
    value()
    skip()
    if (at < text.length) fail('nothing may follow here')
    return undefined
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    const before = text.slice(0, error.at)
    return { line: before.split('\n').length, column: error.at - before.lastIndexOf('\n'), message: error.message }
  }

  function value(): void {
    skip()
    const next = text[at]
    if (next === '{') return list('}', entry)
    if (next === '[') return list(']', value)
    if (next === '"') return string()
    const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y
    word.lastIndex = at
    if (!word.test(text)) fail(at < text.length ? 'a value is expected' : 'the text ends too early')
    at = word.lastIndex
  }

  function list(end: string, item: () => void): void {
    at++
    skip()
    if (text[at] === end) {
      at++
      return
    }
    for (;;) {
      item()
      skip()
      if (text[at] === end) {
        at++
        return
      }
      if (text[at] !== ',') fail(at < text.length ? `"," or "${end}" is expected` : `"${end}" is missing`)
      at++
    }
  }

  function entry(): void {
    skip()
    if (text[at] !== '"') fail('a name in double quotes is expected')
    string()
    skip()
    if (text[at] !== ':') fail('":" is expected')
    at++
    value()
  }

  function string(): void {
    const start = at
    // eslint-disable-next-line no-control-regex -- these are what a string may not hold
    const whole = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y
    whole.lastIndex = at
    whole.test(text)
    at = whole.lastIndex
    if (text[at] === '"') {
      at++
      return
    }
    if (at >= text.length || text[at] === '\n') at = start
    fail(at === start ? 'this string does not end' : 'this character must be escaped')
  }

  function skip(): void {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++
  }

  function fail(message: string): never {
    throw new JsonFault(message, at)
  }
}

class JsonFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

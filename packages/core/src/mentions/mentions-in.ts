/** Something that a person named with `@` in a text: a file, lines of it, a folder or an agent. */
export interface Mention {
  /** A path or a name, as it is written. */
  name: string
  /** Lines, counted from 1. */
  from?: number
  to?: number
}

const mention =
  /(?<![\w@/.\\])@(?:"([^"\n]{1,400})"(:\d+(?:-\d+)?)?|([^\s"'`<>|*?(){}[\],;!@][^\s"'`<>|*?(){}[\],;!]{0,399}))/gu

/** In order, each once. `@path`, `@path:10-20`, `@"a path with spaces":3`. Whether it is there is not looked at. */
export function mentionsIn(text: string): Mention[] {
  const found = new Map<string, Mention>()
  for (const [, quoted, range = '', plain] of text.matchAll(mention)) {
    const written = quoted === undefined ? (plain ?? '').replace(/[.:]+$/, '') : quoted + range
    const match = /^(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/.exec(written)
    if (match === null) continue
    const [, name = '', from, to] = match
    found.set(written, {
      name,
      ...(from !== undefined && { from: Number(from), to: Number(to ?? from) }),
    })
  }
  return [...found.values()]
}

/** A line of a calendar or a card: `DTSTART;TZID=Europe/Berlin:20260102T100000`. */
export interface ContentLine {
  name: string
  parameters: Readonly<Record<string, string>>
  value: string
}

export interface Component {
  /** `VEVENT`, `VCARD` */
  name: string
  lines: ContentLine[]
  children: Component[]
}

const maxLines = 2_000_000
const maxDepth = 20

/** Parses the format that iCalendar and vCard share. Long lines are folded: they continue after a space. */
export function parseComponents(source: string): Component[] {
  const root: Component = { name: '', lines: [], children: [] }
  const open = [root]
  const unfolded = source
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n')
  for (const raw of unfolded.slice(0, maxLines)) {
    const line = parseLine(raw)
    if (line === undefined) continue
    if (line.name === 'BEGIN') {
      const child: Component = { name: line.value.trim().toUpperCase(), lines: [], children: [] }
      open.at(-1)!.children.push(child)
      if (open.length > maxDepth) throw new Error('The file is nested too deeply.')
      open.push(child)
    } else if (line.name === 'END') {
      if (open.length > 1) open.pop()
    } else open.at(-1)!.lines.push(line)
  }
  return root.children
}

function parseLine(raw: string): ContentLine | undefined {
  // A colon in a quoted parameter does not end the name.
  const match = /^([\w.-]+)((?:;[\w-]+(?:=(?:"[^"]*"|[^":;,]*)(?:,(?:"[^"]*"|[^":;,]*))*)?)*):(.*)$/s.exec(raw)
  if (match === null) return undefined
  const parameters: Record<string, string> = {}
  for (const [, key = '', value = ''] of (match[2] ?? '').matchAll(/;([\w-]+)(?:=((?:"[^"]*"|[^";])*))?/g)) {
    const name = key.toUpperCase()
    const plain = value.replaceAll('"', '')
    parameters[name] = parameters[name] === undefined ? plain : `${parameters[name]},${plain}`
  }
  // A group before the name, as in `item1.TEL`, only connects lines.
  return { name: match[1]!.replace(/^.*\./, '').toUpperCase(), parameters, value: match[3] ?? '' }
}

export function unescapeText(value: string): string {
  return value.replace(/\\([\\;,nN:])/g, (_, sign: string) => (sign === 'n' || sign === 'N' ? '\n' : sign))
}

export function lineOf(component: Component, name: string): ContentLine | undefined {
  return component.lines.find((line) => line.name === name)
}

export function valueOf(component: Component, name: string): string {
  return unescapeText(lineOf(component, name)?.value ?? '').trim()
}

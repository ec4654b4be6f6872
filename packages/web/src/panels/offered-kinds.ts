// A text beside a kind is what models are told of it, and lets tools open it: `kinds/branches.md` is about `branches`.
const files = import.meta.glob<string>('./kinds/*.md', { query: '?raw', import: 'default', eager: true })

/** The kinds of panels that ShowPanel may open beside those that it names itself, with what models are told of each. */
export const offeredKinds: ReadonlyMap<string, string> = new Map(
  Object.entries(files).map(([path, text]) => [
    path.replace(/^.*\//, '').replace(/\.md$/, ''),
    text.trim().replaceAll(/\s+/g, ' ').slice(0, 400),
  ]),
)

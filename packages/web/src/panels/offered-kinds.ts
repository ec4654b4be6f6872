// A Markdown file next to a kind describes it to models and lets tools open it: `kinds/branches.md` describes
// `branches`.
const files = import.meta.glob<string>('./kinds/*.md', { query: '?raw', import: 'default', eager: true })

/** Panel kinds that `ShowPanel` can open besides its built-in ones, with their descriptions for models. */
export const offeredKinds: ReadonlyMap<string, string> = new Map(
  Object.entries(files).map(([path, text]) => [
    path.replace(/^.*\//, '').replace(/\.md$/, ''),
    text.trim().replaceAll(/\s+/g, ' ').slice(0, 400),
  ]),
)

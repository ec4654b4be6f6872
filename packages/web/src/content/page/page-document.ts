import { escapeHtml, type IconShapes, type JsxPage, pageHtml, pageTheme } from '@troupe/protocol'
import { compile } from 'tailwindcss'
import preflight from 'tailwindcss/preflight.css?raw'
import theme from 'tailwindcss/theme.css?raw'
import * as iconData from './icon-data.js'
import styles from './page.css?raw'

const icons: Readonly<Record<string, { node: ReturnType<IconShapes> }>> = iconData
const sheets: Record<string, string> = { theme, preflight, additions: pageTheme }
let compiler: ReturnType<typeof compile> | undefined

/** HTML of a page's body and the styles that it uses. Compiles the classes without any network. */
export async function pageContent({ nodes, classes }: JsxPage): Promise<{ html: string; css: string }> {
  // Deliberately one compiler for all pages: it is costly to make, and unused rules do no harm.
  compiler ??= compile(styles, {
    loadStylesheet: (id, base) => Promise.resolve({ path: id, base, content: sheets[id] ?? '' }),
  })
  const css = (await compiler).build([...classes])
  return { html: pageHtml(nodes, iconShapes), css }
}

/** True if the page was made for both themes. */
export function hasDarkTheme({ classes }: JsxPage): boolean {
  return classes.some((name) => name.startsWith('dark:') || /\b(?:bg-background|bg-card|text-foreground)$/.test(name))
}

/** The page as a document of its own, to be saved or printed. */
export async function pageDocument(page: JsxPage, title: string): Promise<string> {
  const { html, css } = await pageContent(page)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${styleElement(css)}
</head>
<body>
${html}
</body>
</html>
`
}

/** A class may hold any text. In CSS, `\/` is a slash that ends no element. */
export function styleElement(css: string): string {
  return `<style>${css.replaceAll('</', '<\\/')}</style>`
}

const iconShapes: IconShapes = (name) => {
  const shapes = Object.hasOwn(icons, name) ? (icons[name]?.node ?? []) : []
  return shapes.map(([tag, { key: _, ...attributes }]) => [tag, attributes])
}

import { escapeHtml, type IconShapes, type JsxPage, pageHtml, pageTheme, readPage } from '@troupe/protocol'
import { compile } from 'tailwindcss'
import preflight from 'tailwindcss/preflight.css?raw'
import theme from 'tailwindcss/theme.css?raw'
import * as iconData from './icon-data.js'
import styles from './page.css?raw'

const icons: Readonly<Record<string, { node: ReturnType<IconShapes> }>> = iconData
const sheets: Record<string, string> = { theme, preflight, additions: pageTheme }
let compiler: ReturnType<typeof compile> | undefined

/** HTML of a page's body and the styles that it uses. */
export async function pageContent({ nodes, classes }: JsxPage): Promise<{ html: string; css: string }> {
  return { html: pageHtml(nodes, iconShapes), css: await stylesFor(classes) }
}

/** Styles of a page that runs: of the classes it starts with, and of everything in its source that may be a class. */
export function appStyles(source: string, classes: readonly string[] = []): Promise<string> {
  const words = source.match(/[^\s"'`{}<>;]{2,100}/g)?.slice(0, maxWords) ?? []
  return stylesFor([...classes, ...new Set(words)])
}

const maxWords = 50_000

/** Compiles the classes without any network. */
async function stylesFor(classes: readonly string[]): Promise<string> {
  // Deliberately one compiler for all pages: it is costly to make, and unused rules do no harm.
  compiler ??= compile(styles, {
    loadStylesheet: (id, base) => Promise.resolve({ path: id, base, content: sheets[id] ?? '' }),
  })
  return (await compiler).build([...classes])
}

/** True if a page with these classes was made for both themes. */
export function hasDarkTheme(classes: string): boolean {
  return /(?<![\w-])(?:dark:\S|(?:bg-background|bg-card|text-foreground)(?![\w-]))/.test(classes)
}

/** The page as a document of its own, to be saved or printed. */
export async function pageDocument(page: JsxPage, title: string): Promise<string> {
  const { html, css } = await pageContent(page)
  return documentOf(title, styleElement(css), html)
}

/** A page that runs as a document of its own, without network. `runtime` is the script of `virtual:page-runtime`. */
export async function appDocument(source: string, title: string, runtime: string): Promise<string> {
  const policy = `default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:` // not shown
  const call = `troupePage.start(${JSON.stringify(source)}, document.getElementById('root'), console.error)`
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">\n${styleElement(await appStyles(source, readPage(source).page?.classes))}`
  return documentOf(title, head, `<div id="root"></div>\n${scriptElement(runtime)}\n${scriptElement(call)}`)
}

function documentOf(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** In strings and patterns of scripts, `\x3c` is the character that could end the element. */
function scriptElement(code: string): string {
  return `<script>${code.replaceAll(/<(?=\/script|script|!--)/gi, String.raw`\x3c`)}</script>`
}

/** A class may hold any text. In CSS, `\/` is a slash that ends no element. */
export function styleElement(css: string): string {
  return `<style>${css.replaceAll('</', '<\\/')}</style>`
}

const iconShapes: IconShapes = (name) => {
  const shapes = Object.hasOwn(icons, name) ? (icons[name]?.node ?? []) : []
  return shapes.map(([tag, { key: _, ...attributes }]) => [tag, attributes])
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pageTheme } from '@troupe/protocol'

/** Marks that other classes refer to. They have no style of their own. */
const marks = /^(?:group|peer)(?:\/[\w-]+)?$|^dark$|^not-prose$|^page-/

let compiler: Promise<{ build(classes: string[]): string }> | undefined

/** Classes of a page that have no style. Loads the compiler on first use. */
export async function unknownClasses(classes: readonly string[]): Promise<string[]> {
  const wanted = classes.filter((name) => !marks.test(name))
  if (wanted.length === 0) return []
  compiler ??= load()
  const css = (await compiler).build(wanted)
  return wanted.filter((name) => !css.includes(`.${escapeClass(name)}`))
}

async function load(): Promise<{ build(classes: string[]): string }> {
  const { compile } = await import('tailwindcss')
  const theme = readFileSync(fileURLToPath(import.meta.resolve('tailwindcss/theme.css')), 'utf8')
  return compile(`${theme}\n${pageTheme}\n@tailwind utilities;`)
}

/** As CSS writes a class name. */
function escapeClass(name: string): string {
  return name
    .replaceAll(/[^\w-]/g, (char) => `\\${char}`)
    .replace(/^(-?)(\d)/, (_, dash: string, digit: string) => `${dash}\\3${digit} `)
}

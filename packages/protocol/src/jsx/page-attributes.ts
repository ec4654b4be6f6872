import { attributeName } from './page-tags.ts'
import { Closure, type Fields, isFields, Native, textOf, type Value } from './values.ts'

/** Collects what was left out of a page, for the model that wrote it. */
export type Note = (kind: NoteKind, detail: string) => void
export type NoteKind = 'handler' | 'attribute' | 'tag' | 'style' | 'link' | 'image' | 'icon' | 'class'

const maxValue = 20_000
const maxClasses = 4000
const silent = new Set(['key', 'ref', 'children', 'suppressHydrationWarning', 'asChild', 'variant', 'size'])

/** Attributes as HTML writes them. Whatever could act or load is left out and noted. */
export function pageAttributes(tag: string, props: Fields, note: Note): Record<string, string | true> {
  const attributes: Record<string, string | true> = {}
  for (const [given, value] of Object.entries(props)) {
    if (silent.has(given) || value == null || (value === false && !/^(?:data|aria)-/i.test(given))) continue
    if (/^on[a-z]/i.test(given)) {
      // Functions run when the user runs the page.
      if (!(value instanceof Closure || value instanceof Native)) note('handler', given)
      continue
    }
    const name = attributeName(tag, given)
    if (name === undefined) {
      note('attribute', `${given} of <${tag}>`)
      continue
    }
    const read = readValue(tag, name, value, note)
    if (read !== undefined) attributes[name] = read
  }
  return attributes
}

function readValue(tag: string, name: string, value: Value, note: Note): string | true | undefined {
  if (name === 'style') return styleText(value, note) || undefined
  if (value === true) return /^(?:data|aria)-/.test(name) ? 'true' : true
  if (isFields(value) || Array.isArray(value)) {
    if (name !== 'class' && name !== 'points' && name !== 'values') return undefined
  }
  const text = textOf(value).slice(0, maxValue)
  if (name === 'class') return readClasses(text, note)
  if (name === 'href') return readLink(tag, text, note)
  if (name === 'src') return readImage(text, note)
  if (name === 'target' || name === 'rel') return undefined
  if (name === 'attributeName' && /href|^on|style/i.test(text)) return undefined
  if (/url\s*\(/i.test(text) && !isOwnReference(text)) {
    note('style', `${name}="${text.slice(0, 60)}"`)
    return undefined
  }
  if (/^\s*(?:javascript|vbscript|data):/i.test(text)) return undefined
  return text
}

function isOwnReference(text: string): boolean {
  return /^(?:\s*url\(\s*["']?#[\w:.-]+["']?\s*\)\s*)+(?:[\w#]+)?$/i.test(text)
}

function readClasses(text: string, note: Note): string | undefined {
  const names = text.slice(0, maxClasses).split(/\s+/).filter(Boolean)
  const kept = names.filter((name) => {
    const isSafe =
      name.length <= 120 &&
      !/url\(|image-set|image\(|src\(|script:|[\\<>]{1}(?!\*)|@import|;/i.test(name.replaceAll('&>', '&'))
    if (!isSafe) note('class', name.slice(0, 60))
    return isSafe
  })
  return kept.length === 0 ? undefined : kept.join(' ')
}

function readLink(tag: string, text: string, note: Note): string | undefined {
  if (tag !== 'a') return /^#[\w:.-]+$/.test(text) ? text : undefined
  if (/^(?:https?:\/\/|mailto:|tel:)/i.test(text) && URL.canParse(text)) return text
  if (text.startsWith('#')) return text
  // Paths of a site that does not exist here.
  if (/^\.{0,2}\//.test(text) || /^[\w-]+$/.test(text) || text === '') return '#'
  note('link', text.slice(0, 60))
  return undefined
}

function readImage(text: string, note: Note): string | undefined {
  if (/^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(text)) return text
  note('image', text.slice(0, 60))
  return undefined
}

const unitless = new Set(
  (
    'animationIterationCount aspectRatio borderImageOutset borderImageSlice borderImageWidth columnCount columns fillOpacity flex flexGrow ' +
    'flexShrink floodOpacity fontWeight gridArea gridColumn gridColumnEnd gridColumnStart gridRow gridRowEnd gridRowStart lineClamp lineHeight ' +
    'opacity order orphans scale stopOpacity strokeDasharray strokeDashoffset strokeMiterlimit strokeOpacity strokeWidth tabSize widows zIndex zoom'
  ).split(' '),
)

/** Declarations of `style`, from an object or from CSS text. */
function styleText(value: Value, note: Note): string {
  const entries: [string, string][] = isFields(value)
    ? Object.entries(value).flatMap(([name, given]): [string, string][] => {
        if (given == null || typeof given === 'boolean') return []
        const text =
          typeof given === 'number' && given !== 0 && !unitless.has(name) && !name.startsWith('--')
            ? `${given}px`
            : textOf(given)
        return [[cssName(name), text]]
      })
    : textOf(value)
        .split(';')
        .flatMap((part): [string, string][] => {
          const colon = part.indexOf(':')
          return colon < 0 ? [] : [[part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1).trim()]]
        })
  return entries
    .slice(0, 100)
    .filter(([name, text]) => {
      const isSafe = isSafeDeclaration(name, text)
      if (!isSafe) note('style', `${name}: ${text}`.slice(0, 60))
      return isSafe
    })
    .map(([name, text]) => `${name}: ${text}`)
    .join('; ')
}

function cssName(name: string): string {
  if (name.startsWith('--')) return name
  return name.replace(/^(?=Webkit|Moz|ms[A-Z])/, '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function isSafeDeclaration(name: string, text: string): boolean {
  if (!/^-{0,2}[a-z][a-z0-9-]*$/i.test(name) || text.length > 2000) return false
  if (/^(?:behavior|-moz-binding)$/i.test(name)) return false
  return isSafeCss(text) && !/[;{}]/.test(text)
}

/** CSS that loads nothing and does not leave its place. */
export function isSafeCss(css: string): boolean {
  const bare = css.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/url\(\s*["']?#[\w:.-]+["']?\s*\)/gi, '')
  return !/url\s*\(|image-set|image\s*\(|src\s*\(|expression\s*\(|@import|@font-face|@namespace|script:|[<\\]/i.test(
    bare,
  )
}

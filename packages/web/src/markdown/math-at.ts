/** A formula in a text: as it stands there, and what is between its marks. */
export interface Formula {
  raw: string
  tex: string
  /** On a line of its own. */
  display: boolean
}

const longest = 5000
const shapes: { shape: RegExp; display: boolean; isDollar?: true }[] = [
  { shape: /^\$\$((?:[^$\\]|\\[\s\S]|\$(?!\$))+?)\$\$/, display: true },
  { shape: /^\$((?:[^$\\\n]|\\[^\n])+?)\$(?![\d$])/, display: false, isDollar: true },
  { shape: /^\\\(([\s\S]+?)\\\)/, display: false },
  { shape: /^\\\[([\s\S]+?)\\\]/, display: true },
]

/** The formula that a text begins with, in the marks of TeX; amounts of money are none. */
export function mathAt(text: string): Formula | undefined {
  const window = text.slice(0, longest)
  for (const { shape, display, isDollar } of shapes) {
    const [raw, tex] = shape.exec(window) ?? []
    if (raw === undefined || tex === undefined || tex.trim() === '') continue
    if (isDollar === true ? !isMeant(tex) : !hasSign(tex)) return undefined
    return { raw, tex: tex.trim(), display }
  }
  return undefined
}

/** `\\[link\\]` are brackets that are not to be a link. */
function hasSign(tex: string): boolean {
  return /[\\^_=+<>{}|*/\d-]/.test(tex) || /^\s*\p{L}{1,2}\s*$/u.test(tex)
}

/** `$5 and 10$` is about money: there is no sign of a formula in it, or it begins with an amount. */
function isMeant(tex: string): boolean {
  if (/^\s|\s$/.test(tex)) return false
  if (!/\s/.test(tex)) return tex.length <= 60 || /[\\^_=]/.test(tex)
  return (
    /[\\^_={}]/.test(tex) || (/[+<>|*/-]/.test(tex) && !/^\d[\d.,]*\s*\p{L}{2}/u.test(tex) && !/\p{L}{4}/u.test(tex))
  )
}

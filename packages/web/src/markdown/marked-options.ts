import { Marked, Renderer, Tokenizer } from 'marked'
import type { MarkedOptions, Tokens } from 'marked'
import { footnoteExtension } from './footnotes.ts'
import { mathExtension } from './math-extension.ts'
import { keepPlainTags } from './plain-tags.ts'

/** Markdown as answers are written: GitHub's dialect. Headings start below the page's own. */
class AnswerRenderer extends Renderer {
  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(depth + 2, 6)
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<span class="${checked ? 'task-done' : 'task-open'}">${checked ? 'Done: ' : 'Open: '}</span>`
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return keepPlainTags(text)
  }

  /** Also after `<script>` and the like, where marked takes text for markup. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    return super.text('escaped' in token ? { ...token, escaped: false } : token)
  }

  /** Nothing is fetched because an answer names it: an image elsewhere is a link. */
  override image({ href, text }: Tokens.Image): string {
    if (isOwnImage(href)) return `<img src="${escape(href)}" alt="${escape(text)}">`
    return `<a href="${escape(href)}">${escape(text === '' ? href : text)} (image)</a>`
  }
}

/** Bytes that are here already: inside the text or in our own store of blobs. */
export function isOwnImage(address: string): boolean {
  return (
    /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(address) ||
    /^\/ai\/blobs\/[0-9a-f]{64}$/.test(address)
  )
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Every lexer hands it its rules, for the text that it is about to read. */
export const tokenizer = new Tokenizer()

export const markedOptions: MarkedOptions = {
  ...new Marked(mathExtension, footnoteExtension).defaults,
  gfm: true,
  breaks: false,
  async: false,
  tokenizer,
  renderer: new AnswerRenderer(),
}

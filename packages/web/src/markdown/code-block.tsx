import { WrapText } from 'lucide-react'
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { browserStorage } from '../api/kept.ts'
import { FencePreview } from '../previews/fence-preview.tsx'
import { t } from '../texts/t.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'

export interface CodeBlockProps {
  language: string
  text: string
  /** Nothing will be added to it. */
  done: boolean
  /** It came while somebody was looking on. */
  live?: boolean
}

const wrapKey = 'troupe.wrap'

export const CodeBlock = memo(function CodeBlock({ language, text, done, live = false }: CodeBlockProps) {
  const [wraps, setWraps] = useState(() => browserStorage.get(wrapKey) === 'yes')
  const code = useCode(text, language, done, live)
  const wrap = () => {
    browserStorage.set(wrapKey, wraps ? null : 'yes')
    setWraps(!wraps)
  }
  return (
    <figure className={wraps ? 'code-block code-wraps' : 'code-block'}>
      <figcaption>
        <span className="code-language">{language === '' ? 'text' : language}</span>
        <IconButton label={wraps ? t.markdown.noWrap : t.markdown.wrap} aria-pressed={wraps} onClick={wrap}>
          <WrapText />
        </IconButton>
        <CopyButton text={text} label={t.markdown.copyCode} />
      </figcaption>
      <pre tabIndex={0}>
        <code ref={code} />
      </pre>
      {done && <FencePreview language={language} text={text} />}
    </figure>
  )
})

const afterTextsMs = 150
let painter: typeof import('./highlight.ts') | undefined

/**
 * Fills an element with the text: plain at once, and in its colours when it is whole and there is time. A short one that
 * is being written gets them with its last line: a frame less for every block of an answer.
 */
function useCode(text: string, language: string, done: boolean, live: boolean) {
  const code = useRef<HTMLElement>(null)
  const [isSeen] = useState(live)
  const isPainted = useRef(false)
  useLayoutEffect(() => {
    const painted = done && isSeen ? painter?.highlightNow(text, language) : undefined
    isPainted.current = painted !== undefined
    code.current?.replaceChildren(painted ?? text)
  }, [text, language, done, isSeen])
  useEffect(() => {
    if (!done || language === '' || isPainted.current) return
    let left = false
    const paint = async () => {
      painter = await import('./highlight.ts')
      if (left) return
      const painted = await painter.highlight(text, language)
      if (!left && painted !== undefined) code.current?.replaceChildren(painted)
    }
    // Texts are shown first. Without the colours they are still there: the server may be away.
    const timer = setTimeout(() => void paint().catch(() => undefined), afterTextsMs)
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [text, language, done])
  return code
}

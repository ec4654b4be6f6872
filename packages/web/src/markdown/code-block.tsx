import { memo } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'

export const CodeBlock = memo(function CodeBlock({ language, text }: { language: string; text: string }) {
  return (
    <figure className="code-block">
      <figcaption>
        <span className="code-language">{language === '' ? 'text' : language}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
})

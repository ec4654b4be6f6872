import { memo, useState } from 'react'
import { CodeBlock } from './code-block.tsx'
import { SafeHtml } from './safe-html.tsx'
import { createSplitter } from './split-blocks.ts'
import './markdown.css'

/** Text of an answer, block by block: while it grows only its last block is made again. */
export const Markdown = memo(function Markdown({ text, done }: { text: string; done: boolean }) {
  const [split] = useState(createSplitter)
  const blocks = split(text, done)
  return (
    <div className="prose">
      {blocks.map((block, index) =>
        block.kind === 'code' ? (
          <CodeBlock
            key={index}
            language={block.language}
            text={block.text}
            done={done || index < blocks.length - 1}
            live={!done}
          />
        ) : (
          <SafeHtml key={index} html={block.html} />
        ),
      )}
    </div>
  )
})

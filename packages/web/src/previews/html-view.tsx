import { useMemo } from 'react'
import { t } from '../texts/t.ts'
import { PreviewFrame } from './preview-frame.tsx'

/** A page that somebody wrote, in a frame where it can do no harm. `fills`: as high as its place. */
export function HtmlView({ text, name, fills = false }: { text: string; name: string; fills?: boolean }) {
  const show = useMemo(() => ({ kind: 'html', html: text }) as const, [text])
  return <PreviewFrame title={t.previews.titleOf(name)} show={show} {...(!fills && { heights: [120, 560] })} />
}

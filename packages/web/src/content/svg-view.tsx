import { useState } from 'react'
import { t } from '../texts/t.ts'
import './views.css'

/** Renders an SVG as an image, so scripts do not run and nothing is fetched. It never enters the page's DOM. */
export function SvgView({ text, name }: { text: string; name: string }) {
  const [failed, setFailed] = useState(false)
  if (failed) return <p className="preview-note">{t.previews.invalid}</p>
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text.toWellFormed())}`
  return (
    <div className="preview-picture preview-paper">
      <img src={source} alt={name} onError={() => setFailed(true)} />
    </div>
  )
}

import type { DataParts } from '@troupe/protocol'
import { Image } from 'lucide-react'
import { Markdown } from '../../content/markdown.tsx'
import { translateServerText } from '../../texts/server-texts.ts'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Fold } from './fold.tsx'

/** Description of an image by a model with vision, or the reason that it failed. */
export function ImageDescription({ id, image }: { id: string; image: DataParts['image-description'] }) {
  const { name, model, text, problem } = image
  const title = problem === undefined ? t.attachments.described(name, model) : t.attachments.notDescribed(name)
  return (
    <Fold id={id} title={title} icon={<Image aria-hidden />}>
      {problem === undefined ? <Markdown text={text} done /> : <p>{translateServerText(problem, 'text')}</p>}
    </Fold>
  )
}

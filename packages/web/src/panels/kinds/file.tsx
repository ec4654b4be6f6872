import { FileText, RotateCw } from 'lucide-react'
import { PathName } from '../../displays/parts/path-name.tsx'
import { numberIn, textIn } from '../../displays/parts/read-fields.ts'
import { PreviewButton } from '../../previews/preview-button.tsx'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatSize } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { VisibleText } from '../../ui/visible-text.tsx'
import { NumberedLines } from '../numbered-lines.tsx'
import type { PanelProps } from '../panel.ts'
import { useFile } from '../use-file.ts'
import type { ReadFile } from '../use-file.ts'

export { FileText as Icon }

/** A file of the workspace or of the output (`path`, `line`), or an attachment (`url`, `path` is its name). */
export default function FilePanel({ panel }: PanelProps) {
  const path = textIn(panel.data['path']) ?? panel.title
  const url = textIn(panel.data['url'])
  const { read, again } = useFile({ path, url })
  const file = read !== undefined && 'kind' in read ? read : undefined
  return (
    <>
      <header className="beside-head">
        <span className="beside-head-main">
          <PathName path={file?.path ?? path} />
        </span>
        {file !== undefined && <span>{formatSize(file.bytes)}</span>}
        {url === undefined && <PreviewButton path={path} />}
        {file?.text !== undefined && <CopyButton text={file.text} label={t.panels.copyText} />}
        <IconButton label={t.panels.readAgain} onClick={() => void again()}>
          <RotateCw />
        </IconButton>
      </header>
      {read === undefined ? (
        <p className="beside-none">{t.panels.loading}</p>
      ) : (
        <Body read={read} line={numberIn(panel.data['line'])} onShowSecret={() => void again({ secret: true })} />
      )}
    </>
  )
}

interface BodyProps {
  read: ReadFile
  line: number | undefined
  onShowSecret: () => void
}

function Body({ read, line, onShowSecret }: BodyProps) {
  if ('problem' in read) {
    return (
      <div className="beside-none">
        <p>
          <VisibleText text={read.problem} />
        </p>
        {read.isSecret && <Button onClick={onShowSecret}>{t.panels.showSecret}</Button>}
      </div>
    )
  }
  if (read.image !== undefined) {
    return (
      <div className="beside-body">
        <img className="beside-image" src={read.image} alt={read.path} />
      </div>
    )
  }
  if (read.text === undefined) return <p className="beside-none">{t.panels.notText}</p>
  if (read.text === '') return <p className="beside-none">{t.panels.emptyFile}</p>
  const ending = read.path.split('.').at(-1) ?? ''
  return (
    <>
      <NumberedLines text={read.text} language={ending} line={line} label={read.path} />
      {read.isCut === true && <p className="beside-foot">{t.panels.cutFile}</p>}
    </>
  )
}

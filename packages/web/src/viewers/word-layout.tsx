import type { DocumentLayout, LayoutBlock, LayoutParagraph, LayoutRun, LayoutTable } from '@troupe/protocol'
import { type CSSProperties, Fragment, type ReactNode } from 'react'
import { WebLink } from '../displays/parts/display-parts.tsx'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './word-layout.css'

/**
 * A Word document with its own formatting, on white paper. Everything is built from typed data: no markup of the document
 * reaches the page, and pictures are data in it.
 */
export function WordLayout({ parts }: { parts: readonly DocumentLayout[] }) {
  const [first] = parts
  if (first === undefined) return null
  const comments = new Map(parts.flatMap((part) => part.comments).map((comment) => [comment.id, comment]))
  const notes = parts.flatMap((part) => part.notes)
  const { width, margin } = first.page
  return (
    <article className="word-page" style={{ maxWidth: `${width}pt`, paddingInline: `min(${margin}pt, 8%)` }}>
      {parts.map((part, index) => (
        <Fragment key={index}>{blockNodes(part.blocks, comments)}</Fragment>
      ))}
      {notes.length > 0 && (
        <section className="word-notes" aria-label={t.viewers.notes}>
          {notes.map(({ id, label, blocks }) => (
            <div key={id} className="word-note">
              <sup>{label}</sup>
              <div>{blockNodes(blocks, comments)}</div>
            </div>
          ))}
        </section>
      )}
      {comments.size > 0 && (
        <section className="word-notes" aria-label={t.viewers.comments}>
          <h2>{t.viewers.comments}</h2>
          {[...comments.values()].map(({ id, author, date, isResolved, text }) => (
            <p key={id} className="word-note">
              <span className="word-comment-mark">{commentLabel(id)}</span>
              <span>
                <strong>
                  <VisibleText text={author} as="name" />
                </strong>
                {date !== undefined && ` · ${date}`}
                {isResolved && ` · ${t.viewers.resolved}`}
                <br />
                <VisibleText text={text} />
              </span>
            </p>
          ))}
        </section>
      )}
    </article>
  )
}

type Comments = ReadonlyMap<string, DocumentLayout['comments'][number]>

function blockNodes(blocks: readonly LayoutBlock[], comments: Comments): ReactNode[] {
  return blocks.map((block, index) =>
    block.kind === 'table' ? (
      <Table key={index} table={block} comments={comments} />
    ) : (
      <Paragraph key={index} paragraph={block} comments={comments} />
    ),
  )
}

function Paragraph({ paragraph, comments }: { paragraph: LayoutParagraph; comments: Comments }) {
  const { number, heading, align, indent, firstLine, before, after, lineHeight, label, runs, shade } = paragraph
  const Tag = heading === undefined ? 'p' : (`h${Math.min(6, heading)}` as 'h1')
  const style: CSSProperties = {
    textAlign: align,
    marginInlineStart: points(indent),
    textIndent: label === undefined ? points(firstLine) : undefined,
    marginTop: points(before),
    marginBottom: points(after),
    lineHeight,
    backgroundColor: shade,
  }
  return (
    <>
      {paragraph.startsPage === true && <hr className="word-break" />}
      <Tag
        className="word-paragraph"
        dir={paragraph.isRightToLeft === true ? 'rtl' : 'auto'}
        style={style}
        data-anchor={number > 0 ? `¶ ${number}` : undefined}
      >
        {label !== undefined && <span className="word-label">{label} </span>}
        {runs.map((run, index) => (
          <Run key={index} run={run} comments={comments} />
        ))}
      </Tag>
    </>
  )
}

function Run({ run, comments }: { run: LayoutRun; comments: Comments }) {
  const { text, picture, script, link, change, author = '', note, comments: about = [] } = run
  const style: CSSProperties = {
    fontWeight: run.isBold === undefined ? undefined : run.isBold ? 700 : 400,
    fontStyle: run.isItalic === true ? 'italic' : undefined,
    textDecoration:
      [run.isUnderlined === true && 'underline', run.isStruck === true && 'line-through'].filter(Boolean).join(' ') ||
      undefined,
    textTransform: run.isCaps === true ? 'uppercase' : undefined,
    fontSize: points(run.size),
    fontFamily: run.font === undefined ? undefined : `"${run.font}", ${genericFont(run.font)}`,
    color: run.color,
    backgroundColor: run.shade,
  }
  let content: ReactNode = text
  if (picture !== undefined) content = <Picture picture={picture} />
  else if (link !== undefined) content = <WebLink url={link} text={text} />
  if (script !== undefined) content = script === 'super' ? <sup>{content}</sup> : <sub>{content}</sub>
  content = (
    <span style={style} data-note={note}>
      {content}
    </span>
  )
  if (change === 'inserted') content = <ins title={t.viewers.inserted(author)}>{content}</ins>
  if (change === 'deleted') content = <del title={t.viewers.deleted(author)}>{content}</del>
  const known = about.flatMap((id) => comments.get(id) ?? [])
  if (known.length === 0) return content
  return (
    <mark className="word-comment" title={known.map((one) => `${one.author}: ${one.text}`).join('\n')}>
      {content}
      <span className="word-comment-mark">{known.map(({ id }) => commentLabel(id)).join(' ')}</span>
    </mark>
  )
}

function Picture({ picture: { data, alt, width, height } }: { picture: NonNullable<LayoutRun['picture']> }) {
  const size = { width: points(width), aspectRatio: width && height ? `${width} / ${height}` : undefined }
  if (data === undefined)
    return (
      <span className="word-picture" style={size}>
        <VisibleText text={alt === '' ? t.viewers.picture : alt} />
      </span>
    )
  return <img src={data} alt={alt} style={size} />
}

function Table({ table, comments }: { table: LayoutTable; comments: Comments }) {
  const total = table.widths.reduce((sum, width) => sum + width, 0)
  return (
    <div className="word-table">
      <table data-lines={table.hasLines} data-anchor={table.number > 0 ? `¶ ${table.number}` : undefined}>
        {total > 0 && (
          <colgroup>
            {table.widths.map((width, index) => (
              <col key={index} style={{ width: `${(100 * width) / total}%` }} />
            ))}
          </colgroup>
        )}
        <tbody>
          {table.rows.map(({ isHead, cells }, index) => (
            <tr key={index}>
              {cells.map(({ columns, rows, shade, blocks }, at) => {
                const Cell = isHead === true ? 'th' : 'td'
                return (
                  <Cell key={at} colSpan={columns} rowSpan={rows} style={{ backgroundColor: shade }}>
                    {blockNodes(blocks, comments)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Word counts comments from 0. */
function commentLabel(id: string): string {
  return /^\d{1,9}$/.test(id) ? String(Number(id) + 1) : id
}

function points(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}pt`
}

function genericFont(name: string): string {
  if (/courier|consolas|mono/i.test(name)) return 'monospace'
  return /times|georgia|cambria|garamond|serif|roman|book/i.test(name) ? 'serif' : 'sans-serif'
}

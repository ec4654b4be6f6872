import type { StoredMessage } from '@troupe/protocol'
import { GitMerge } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { messageText } from '../chat/session/session-state.ts'
import { Markdown } from '../content/markdown.tsx'
import { formatCost, formatCount, formatDuration } from '../texts/format.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type BranchEnd, type BranchSummary, readBranch, summarizeBranch, useMerge, useTree } from './branch-data.ts'
import { forkPoint, type TreeIndex } from './branch-tree.ts'
import './comparison.css'
import { markChanges } from './diff-words.ts'
import { roleName } from './map-row.tsx'

interface Sides {
  left: BranchEnd
  right: BranchEnd
}

export function Comparison({ left, right }: { left: string; right: string }) {
  const { tree, failure, again } = useTree()
  const sides = useSides(tree, left, right)
  const said = failure ?? sides.failure
  if (said !== null) {
    return (
      <div className="side-panel-none">
        <p>{said}</p>
        <Button onClick={again}>{t.branches.retry}</Button>
      </div>
    )
  }
  if (tree === null || sides.read === null) return <p className="side-panel-none">{t.branches.loading}</p>
  return <Compared tree={tree} left={left} right={right} sides={sides.read} />
}

function Compared({ tree, left, right, sides }: { tree: TreeIndex; left: string; right: string; sides: Sides }) {
  const merge = useMerge()
  const [marks, setMarks] = useState(true)
  const { fork } = forkPoint(tree, left, right)
  const count = Math.max(sides.left.messages.length, sides.right.messages.length)
  return (
    <>
      <div className="side-panel-head">
        <label className="compare-switch">
          <input type="checkbox" checked={marks} onChange={(event) => setMarks(event.target.checked)} />
          {t.branches.markChanges}
        </label>
      </div>
      <div className="side-panel-body compare">
        {fork !== undefined && (
          <p className="compare-fork">
            {t.branches.from} <VisibleText text={fork.text === '' ? t.branches.noText : fork.text} as="name" />
          </p>
        )}
        <Facts left={summarizeBranch(sides.left)} right={summarizeBranch(sides.right)} />
        <div className="compare-merges">
          <Button onClick={() => void merge({ tree, from: right, into: left })}>
            <GitMerge aria-hidden />
            {t.branches.mergeIntoLeft}
          </Button>
          <Button onClick={() => void merge({ tree, from: left, into: right })}>
            <GitMerge aria-hidden />
            {t.branches.mergeIntoRight}
          </Button>
        </div>
        {Array.from({ length: count }, (_, index) => (
          <Pair key={index} left={sides.left.messages[index]} right={sides.right.messages[index]} marks={marks} />
        ))}
      </div>
    </>
  )
}

function Facts({ left, right }: { left: BranchSummary; right: BranchSummary }) {
  const row = (name: string, show: (side: BranchSummary) => React.ReactNode) => (
    <tr>
      <th scope="row">{name}</th>
      <td>{show(left)}</td>
      <td>{show(right)}</td>
    </tr>
  )
  return (
    <table className="compare-facts">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{t.branches.compareTitle}</span>
          </th>
          <th scope="col">{t.branches.left}</th>
          <th scope="col">{t.branches.right}</th>
        </tr>
      </thead>
      <tbody>
        {row(t.branches.messages, ({ messages }) => messages)}
        {row(t.branches.calls, ({ calls }) => (
          <List
            items={calls.map(({ key, title, summary, failed }) => ({
              key,
              text: summary === undefined ? title : `${title} ${summary}`,
              failed,
            }))}
          />
        ))}
        {row(t.branches.files, ({ files, commands }) => (
          <List items={files.map((file) => ({ key: file, text: file, failed: false }))}>
            {commands > 0 && <li className="compare-unknown">{t.branches.unknownFiles(commands)}</li>}
          </List>
        ))}
        {row(t.branches.tokens, ({ tokens }) => formatCount(tokens))}
        {row(t.branches.price, ({ cost }) => (cost === undefined ? '–' : formatCost(cost)))}
        {row(t.branches.time, ({ elapsedMs }) => formatDuration(elapsedMs))}
      </tbody>
    </table>
  )
}

function List({
  items,
  children,
}: {
  items: { key: string; text: string; failed: boolean }[]
  children?: React.ReactNode
}) {
  if (items.length === 0 && (children === undefined || children === false)) return t.branches.nothing
  return (
    <ul className="compare-list">
      {items.map(({ key, text, failed }) => (
        <li key={key}>
          <VisibleText text={text} as="name" />
          {failed && <span className="compare-failed"> ({t.branches.failedCall})</span>}
        </li>
      ))}
      {children}
    </ul>
  )
}

function Pair({
  left,
  right,
  marks,
}: {
  left: StoredMessage | undefined
  right: StoredMessage | undefined
  marks: boolean
}) {
  const [one, other] = [messageText(left), messageText(right)]
  const isPair = marks && left !== undefined && right !== undefined && left.role === right.role
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const [before, after] = frame.current?.querySelectorAll('.compare-text') ?? []
    return isPair && before !== undefined && after !== undefined ? markChanges(before, after) : undefined
  }, [isPair, one, other])
  return (
    <div className="compare-pair" ref={frame}>
      <Side message={left} text={one} name={t.branches.left} />
      <Side message={right} text={other} name={t.branches.right} />
    </div>
  )
}

function Side({ message, text, name }: { message: StoredMessage | undefined; text: string; name: string }) {
  if (message === undefined)
    return (
      <p className="compare-side compare-ended">
        <span className="compare-whose">{name} · </span>
        {t.branches.noMessage}
      </p>
    )
  return (
    <article className="compare-side" aria-label={`${name}, ${roleName(message.role)}`}>
      <p className="compare-role">
        <span className="compare-whose">{name} · </span>
        {roleName(message.role)}
      </p>
      <div className="compare-text">
        <Markdown text={text} done />
      </div>
    </article>
  )
}

function useSides(tree: TreeIndex | null, left: string, right: string) {
  const { api } = useWorkspace()
  const { sessionId } = useSessionStore().getState()
  const [state, setState] = useState<{ read: Sides | null; failure: string | null }>({ read: null, failure: null })
  useEffect(() => {
    if (tree === null) return
    let gone = false
    const read = async () => {
      if (!tree.messages.has(left) || !tree.messages.has(right)) throw new Error(t.branches.gone)
      const parting = forkPoint(tree, left, right)
      const [one, other] = await Promise.all([
        readBranch(api, sessionId, { leaf: left, count: parting.left.length, fork: parting.fork?.id }),
        readBranch(api, sessionId, { leaf: right, count: parting.right.length, fork: parting.fork?.id }),
      ])
      if (!gone) setState({ read: { left: one, right: other }, failure: null })
    }
    read().catch((error: unknown) => {
      if (!gone) setState({ read: null, failure: toErrorInfo(error).message })
    })
    return () => {
      gone = true
    }
  }, [api, sessionId, tree, left, right])
  return state
}

import type { WatchedState } from '@troupe/protocol'
import { expect, test, vi } from 'vitest'
import { button, click, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { TaskStatus } from './task-status.tsx'
import type { Watch } from './terminal-socket.ts'

const running: WatchedState = {
  columns: 120,
  rows: 40,
  running: true,
  exitCode: null,
  typing: false,
  takeable: true,
}

async function show(state: Partial<WatchedState>) {
  const hold = vi.fn<Watch['hold']>()
  const nothing = () => undefined
  const watch: Watch = { hold, done: nothing, input: nothing, position: nothing, resize: nothing, close: nothing }
  const task = {
    id: 'term-1',
    kind: 'terminal' as const,
    command: 'npm init\nmore',
    status: state.running === false ? ('ended' as const) : ('running' as const),
    exitCode: null,
    startedAt: 1,
    endedAt: null,
  }
  const { view } = await render(
    <TaskStatus task={task} state={{ ...running, ...state }} isGone={false} watch={watch} />,
  )
  return { hold, view }
}

test('a terminal of an agent is read-only until the person takes it over, and the note names it', async () => {
  const { hold, view } = await show({})
  expect(view.textContent).toContain(t.terminals.agents)
  await click(button(t.terminals.takeOver))
  expect(hold).toHaveBeenCalledWith(true, t.terminals.tookOver('npm init', 'term-1'))
})

test('the person gives it back', async () => {
  const { hold, view } = await show({ typing: true })
  expect(view.textContent).toContain(t.terminals.yours)
  await click(button(t.terminals.giveBack))
  expect(hold).toHaveBeenCalledWith(false, t.terminals.gaveBack('npm init', 'term-1'))
})

test('a command without a terminal, and one that ended, cannot be taken over', async () => {
  const first = await show({ takeable: false })
  expect(first.view.textContent).not.toContain(t.terminals.takeOver)
  const { view } = await show({ running: false, takeable: false, exitCode: 3 })
  expect(view.textContent).toBe(t.terminals.exited(3))
})

import { z } from 'zod'
import { defineTool, type ToolContext } from '../tool/tool.ts'

const status = z.enum(['pending', 'in_progress', 'completed'])

const todoSchema = z.object({ content: z.string(), status, activeForm: z.string().optional() })
export type Todo = z.infer<typeof todoSchema>

const entrySchema = z.object({
  content: z.string().describe('What needs to be done').optional(),
  index: z.int().nonnegative().describe('With merge: the index of the todo, from 0').optional(),
  status,
  activeForm: z.string().describe('Such as "Running the tests"').optional(),
})
type Entry = z.infer<typeof entrySchema>

export default defineTool({
  description: `Keeps a todo list that you and the user can follow. Use it for work with three or more steps.
Send the whole list, or set "merge" and send only the changed todos, by content or index. New content is added at the end. At most one todo can be in_progress. Mark each todo completed as soon as it is done.`,
  input: z.object({
    todos: z.array(entrySchema),
    merge: z.boolean().describe('Update the list instead of replacing it').default(false),
  }),
  // A write, so calls keep their order. It changes only the conversation, so it needs no approval and can rerun.
  readOnly: false,
  needsApproval: false,
  recover: 'rerun',
  group: 'plan',
  title: () => 'Update todos',
  permission: ({ todos }) => ({ title: 'Update the todo list', summary: count(todos.length, 'todo'), content: todos }),
  execute({ todos: entries, merge }, ctx) {
    const todos = merge ? merged(currentTodos(ctx), entries) : entries.map(whole)
    const active = todos.filter((todo) => todo.status === 'in_progress')
    if (active.length > 1) {
      const names = active.map((todo) => `"${todo.content}"`).join(', ')
      throw new Error(
        `Only one todo can be in_progress, but these are: ${names}. Set the others to pending or completed.`,
      )
    }
    return { todos }
  },
  toModel: ({ todos }) => (todos.length === 0 ? 'The list is empty.' : todos.map(line).join('\n')),
  display({ todos }) {
    const active = todos.find((todo) => todo.status === 'in_progress')
    const completed = todos.filter((todo) => todo.status === 'completed').length
    return {
      title: active ? (active.activeForm ?? active.content) : 'Todos',
      summary: `${completed} of ${todos.length} completed`,
      content: todos,
    }
  },
})

/** The list is stored in the conversation, as the output of the newest call. */
function currentTodos(ctx: ToolContext): Todo[] {
  const parsed = z.object({ todos: z.array(todoSchema) }).safeParse(ctx.lastOutput('TodoWrite'))
  if (!parsed.success) throw new Error('There is no list to merge into yet. Send the whole list without "merge".')
  return parsed.data.todos
}

function whole(entry: Entry): Todo {
  const { content, activeForm } = entry
  if (!content?.trim())
    throw new Error('Every todo needs "content". Send the whole list, or set "merge": true and give indexes.')
  return { content, status: entry.status, activeForm }
}

function merged(todos: Todo[], entries: Entry[]): Todo[] {
  const result = todos.map((todo) => ({ ...todo }))
  for (const entry of entries) {
    const at = entry.index ?? result.findIndex((todo) => todo.content === entry.content)
    const todo = result[at]
    if (entry.index === undefined && !todo) {
      result.push(whole(entry))
      continue
    }
    if (!todo) throw new Error(`There is no todo ${at}. The list has ${count(todos.length, 'todo')}, numbered from 0.`)
    todo.status = entry.status
    if (entry.content?.trim()) todo.content = entry.content
    if (entry.activeForm !== undefined) todo.activeForm = entry.activeForm
  }
  return result
}

function line(todo: Todo, index: number): string {
  const mark = { pending: ' ', in_progress: '~', completed: 'x' }[todo.status]
  return `${index}. [${mark}] ${todo.content}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

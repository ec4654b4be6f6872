import path from 'node:path'
import { count } from '@troupe/server/count'
import { defineCommand, UsageError } from '../shared/command.ts'
import { connect } from '../shared/connect.ts'

/** `troupe projects [list]`, `troupe projects add <folder> [--name <name>]`, `troupe projects remove <folder|id>`. */
export const command = defineCommand({
  options: {
    json: { type: 'boolean', default: false },
    name: { type: 'string' },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const [verb = 'list', target, ...more] = positionals
    const isList = verb === 'list' && target === undefined
    const isChange = (verb === 'add' || verb === 'remove') && target !== undefined
    if ((!isList && !isChange) || more.length > 0)
      throw new UsageError(
        'expected: troupe projects [list], troupe projects add <folder> [--name <name>], or troupe projects remove <folder|id>',
      )
    const { workspace } = values
    const connection = await connect(context, workspace === undefined ? {} : { workspace })
    const print = (text: string): void => void context.stdout.write(`${text}\n`)
    try {
      if (verb === 'add') {
        const folder = path.resolve(context.cwd, target ?? '')
        const { project } = await connection.call('POST /ai/projects', { body: { path: folder, name: values.name } })
        print(
          values.json ? JSON.stringify(project) : `${project.name} is a project: ${project.id}, in ${project.path}.`,
        )
        return 0
      }
      const { projects } = await connection.call('GET /ai/projects')
      if (target === undefined) {
        if (values.json) print(JSON.stringify({ projects }))
        else {
          for (const { id, name, path: folder } of projects) print(`${id} ${name}\n  ${folder}`)
          print(count(projects.length, 'project'))
        }
        return 0
      }
      const folder = path.resolve(context.cwd, target)
      const found = projects.find((one) => one.id === target || one.path === folder)
      if (found === undefined) throw new UsageError(`there is no project ${target}; "troupe projects" lists them`)
      await connection.call('DELETE /ai/projects/:id', { params: { id: found.id } })
      print(`${found.name} is no longer a project. Its files and chats stay.`)
      return 0
    } finally {
      await connection.close()
    }
  },
})

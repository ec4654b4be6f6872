import type { ServerTexts } from '../server-texts.ts'
import { actions, summaries, titles } from './zh/calls.ts'
import { doctor } from './zh/doctor.ts'
import { permissions } from './zh/permissions.ts'
import { problems } from './zh/problems.ts'
import { server } from './zh/server.ts'
import { tools } from './zh/tools.ts'

export const zh: ServerTexts = {
  action: actions,
  title: titles,
  summary: summaries,
  text: [...permissions, ...server, ...tools, ...doctor, ...problems],
}

import { expect, test } from 'vitest'
import { eventually, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { section } from './sections/connections.tsx'

const connections = [
  { name: 'shop', type: 'postgres', writable: true },
  { name: 'troupe', type: 'troupe', writable: false },
]

test('connections are listed with their types and the file to add others', async () => {
  const { view } = await render(<section.Component />, {
    answers: {
      'GET /ai/connections': () => ({ connections }),
      'GET /ai/config': () => ({ path: '/home/ann/.troupe/config.json', config: {} }),
    },
  })
  await eventually(() => view.querySelectorAll('li').length === 2)
  const [shop, own] = [...view.querySelectorAll('li')].map(({ textContent }) => textContent)
  expect(shop).toContain('shop')
  expect(shop).toContain(t.settings.connections.types.postgres)
  expect(shop).toContain(t.settings.connections.writable)
  expect(own).toContain(t.settings.connections.types.troupe)
  expect(own).toContain(t.settings.connections.readOnly)
  expect(view.textContent).toContain('/home/ann/.troupe/config.json')
})

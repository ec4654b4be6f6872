import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { signLink } from './page-access.ts'

test('signs texts of every length as the server does', () => {
  for (let length = 0; length < 300; length++) {
    const key = randomBytes(length % 90).toString('base64url')
    const text = `${randomBytes(length).toString('latin1')}é`
    expect(signLink(key, text)).toBe(createHmac('sha256', key).update(text).digest('base64url'))
  }
})

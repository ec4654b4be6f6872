import { compoundSource } from '../ole/compound-source.ts'
import { defineReader } from '../reader.ts'

/** Office wraps an encrypted document of any kind into a compound file. */
export default defineReader({
  title: 'an encrypted Office document',
  extensions: [],
  mediaTypes: ['application/encrypted'],
  matches: async (head, source) => (await compoundSource(head, source))?.has('EncryptedPackage') === true,
  read: (source) =>
    Promise.reject(new Error(`${source.name} is encrypted with a password. Ask for a copy without a password.`)),
})

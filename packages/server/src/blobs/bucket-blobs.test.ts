import { afterEach, beforeEach, expect, it } from 'vitest'
import { openBucket } from '../util/bucket.ts'
import { createBucketBlobs } from './bucket-blobs.ts'
import { blobsContract } from './testing/blobs-contract.ts'
import { startS3Server } from './testing/s3-server.ts'

let server: Awaited<ReturnType<typeof startS3Server>>
beforeEach(async () => {
  server = await startS3Server()
})
afterEach(() => server.close())

blobsContract('S3', async () => createBucketBlobs(openBucket(server.settings)))

it('says why storage refused a request, without the secret', async () => {
  const blobs = createBucketBlobs(openBucket({ ...server.settings, secretAccessKey: 'wrong' }))
  const refused = {
    name: 'BucketFailed',
    status: 502,
    message: expect.stringContaining('SignatureDoesNotMatch') as string,
  }
  await expect(blobs.put(Buffer.from('a'), 'text/plain')).rejects.toMatchObject({ name: 'BucketFailed' })
  await expect(Array.fromAsync(blobs.list())).rejects.toMatchObject(refused)
  const gone = createBucketBlobs(openBucket({ ...server.settings, endpoint: 'http://127.0.0.1:1' }))
  await expect(gone.get('0'.repeat(64))).rejects.toThrow('127.0.0.1:1 could not be reached')
})

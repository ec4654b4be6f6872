export { openDocuments } from './open-documents.ts'

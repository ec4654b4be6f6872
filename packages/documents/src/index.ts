export { openDocuments } from './open-documents.ts'
export { createPictureEditor } from './pictures/create-picture-editor.ts'

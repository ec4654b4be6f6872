export { MediaCard as default } from '../chat/media-card.tsx'

export { Analyst } from './analyze/analyst.ts'
export { decodePng } from './image/png.ts'
export { cropped, type Picture } from './image/picture.ts'
export { CONFIDENCE, Vision, type Needle, type VisionOptions } from './vision.ts'

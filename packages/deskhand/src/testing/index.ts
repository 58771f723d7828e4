export { desktopTest, openTestDesktop, type DesktopFixture, type TestDesktop } from './desktop-test.ts'
export { expect } from './expect.ts'

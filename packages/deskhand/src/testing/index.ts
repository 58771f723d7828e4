export { desktopTest, openTestDesktop, type DesktopFixture, type TestDesktop } from './desktop-test.ts'
export { expect, type AssertionOptions } from './expect.ts'

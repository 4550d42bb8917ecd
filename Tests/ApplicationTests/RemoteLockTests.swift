import Foundation
import Model
import Testing

@testable import Journal
@testable import Application

@Suite("locks on other hosts") struct RemoteLockTests {
  @Test("the shell on the host outlives several lines that are lost, and ends a minute after the last one")
  func silence() throws {
    let holder = LockHolder(process: 7, run: "run", since: Date(timeIntervalSince1970: 0))
    #expect(RemoteLock.command("001A7DDA7113", holder).contains("read -r -t 60 "))
    #expect(RemoteLock.silence == .seconds(60))
    #expect((.seconds(5)...(.seconds(15))).contains(RemoteLock.interval))
  }
}

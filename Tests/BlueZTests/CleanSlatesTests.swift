import Bluetooth
import DBus
import Testing

@testable import BlueZ

@Suite("Removal of objects to refresh their content")
struct CleanSlatesTests {
  let path: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01"

  @Test("an object may be removed only once per interval")
  func rate() {
    let other: ObjectPath = "/org/bluez/hci1/dev_C4_7C_8D_00_00_01"
    let asked = [(path, 0), (path, 9), (other, 9), (path, 10), (path, 11)]
    var slates = CleanSlates()
    let granted = asked.map { path, second in
      slates.grants(path, [:], at: MonotonicInstant(sinceZero: .seconds(second)))
    }
    #expect(granted == [true, false, true, true, false])
  }

  @Test("the back-off after a refused removal doubles, up to a minute")
  func pauses() {
    var refusals = RefusedRemovals()
    let ends = (0..<7).map { _ in
      refusals.refused(path, CentralError(.busy), at: MonotonicInstant(sinceZero: .zero))
      return refusals[path]?.end
    }
    #expect(ends == [2, 4, 8, 16, 32, 60, 60].map { MonotonicInstant(sinceZero: .seconds($0)) })
  }

  @Test(
    "a tied object is never removed",
    arguments: ["Connected", "Paired", "Bonded", "Trusted", "Blocked"])
  func ties(tie: String) {
    var slates = CleanSlates()
    let now = MonotonicInstant(sinceZero: .zero)
    let tied = slates.grants(path, [tie: .bool(true)], at: now)
    let free = slates.grants(path, [tie: .bool(false)], at: now)
    #expect(!tied)
    #expect(free)
  }
}

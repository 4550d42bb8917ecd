import Foundation
import Model
import Testing

@Suite("numbers in a record") struct RecordedNumbersTests {
  /// Every number in a JSON value, by its path, each replaced in turn.
  private func replacing(_ value: Any, _ path: String = "", with number: NSNumber) -> [(
    path: String, value: Any
  )] {
    switch value {
    case let object as [String: Any]:
      object.flatMap { key, member in
        replacing(member, "\(path).\(key)", with: number).map { changed in
          var object = object
          object[key] = changed.value
          return (changed.path, object as Any)
        }
      }
    case let array as [Any]:
      array.enumerated().flatMap { index, member in
        replacing(member, "\(path)[\(index)]", with: number).map { changed in
          var array = array
          array[index] = changed.value
          return (changed.path, array as Any)
        }
      }
    case let found as NSNumber where !(found is Bool) && CFGetTypeIDIsNumber(found): [(path, number as Any)]
    default: []
    }
  }

  private func CFGetTypeIDIsNumber(_ number: NSNumber) -> Bool { String(cString: number.objCType) != "c" }

  static let extremes: [NSNumber] = [
    NSNumber(value: Int64.min), NSNumber(value: Int64.max), NSNumber(value: -0x1_0000_0000),
    NSNumber(value: 1e18),
    NSNumber(value: -1e300),
  ]

  @Test("a number out of range is rejected as damage", arguments: RunEventTests.facts)
  func outOfRange(fact: Fact) throws {
    let event = RunEvent(
      sequence: 7, at: Date(timeIntervalSince1970: 1_795_251_600), elapsed: .seconds(5), fact: fact)
    let json = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(event))
    for extreme in Self.extremes {
      let changed = replacing(json, with: extreme)
      #expect(changed.contains { $0.path == ".elapsed_us" } && changed.contains { $0.path == ".seq" })
      for (path, value) in changed {
        let data = try JSONSerialization.data(withJSONObject: value)
        #expect(throws: DecodingError.self, "\(path) \(extreme)") {
          try JSONDecoder().decode(RunEvent.self, from: data)
        }
      }
    }
  }

  @Test("the greatest numbers are read, and no greater ones")
  func greatest() throws {
    func read(_ elapsed: Int64, _ seconds: Double) throws -> RunEvent {
      let line =
        #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":\#(elapsed),"kind":"host_paused","#
        + #""data":{"kind":"suspended","seconds":\#(seconds)}}"#
      return try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8))
    }
    let most: Int64 = 1_000_000_000_000_000
    #expect(try read(most, 1e9).elapsed == .seconds(1_000_000_000))
    #expect(try read(0, -1e9).elapsed == .zero)
    for (elapsed, seconds) in [(most + 1, 0), (-1, 0), (0, 1e9 + 1), (0, -1e9 - 1)] as [(Int64, Double)] {
      #expect(throws: DecodingError.self, "\(elapsed) \(seconds)") { try read(elapsed, seconds) }
    }
  }

  @Test(
    "a time out of range is rejected",
    arguments: [
      "0000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "292277026596-01-01T00:00:00.000Z",
      "2026-11-21T24:00:00.000Z", "2026-11-21T09:60:00.000Z", "2026-11-21T09:00:60.000Z",
      "2026-11-21T09:00:00.000Zx", "2026-11-21T09:00:00.000", "2026-11-21 09:00:00.000Z",
      "2026-11-21T09:00:00.0O0Z",
    ])
  func timesOutOfRange(time: String) {
    let line =
      #"{"v":1,"seq":1,"at":"\#(time)","elapsed_us":0,"kind":"run_finished","data":{"outcome":"complete"}}"#
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8)) }
  }
}

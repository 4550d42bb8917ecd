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

  @Test(
    "a time out of range is rejected",
    arguments: [
      "0000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "292277026596-01-01T00:00:00.000Z",
    ])
  func timesOutOfRange(time: String) {
    let line =
      #"{"v":1,"seq":1,"at":"\#(time)","elapsed_us":0,"kind":"run_finished","data":{"outcome":"complete"}}"#
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8)) }
  }
}

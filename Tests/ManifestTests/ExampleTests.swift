import Foundation
import Manifest
import Model
import RecordedText
import SampleFacts
import Testing

@Suite("The examples in manifests/")
struct ExampleTests {
  @Test("every example gives a building without findings")
  func inOrder() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: projectFile("manifests").path).sorted()
    let manifests = files.filter {
      $0.hasSuffix(".yaml") && !$0.hasSuffix("scenario.yaml") && $0 != "office-networks.yaml"
    }
    #expect(manifests.count >= 7)
    for file in manifests {
      let reading = try readExample("manifests/\(file)")
      #expect(reading.rendered == "", "\(file)")
      #expect(reading.building != nil, "\(file)")
    }
  }

  @Test("no example contains a password")
  func passwords() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: projectFile("manifests").path)
    for file in files where file.hasSuffix(".yaml") {
      #expect(try readExample("manifests/\(file)").passwords.files == [], "\(file)")
    }
  }

  private func building(_ name: String) throws -> Building {
    try #require(try readExample("manifests/\(name).yaml").building)
  }

  @Test("the example of a flat has its rooms and settings")
  func flat() throws {
    let flat = try building("flat")
    #expect(flat.rooms.count == 5)
    #expect(flat.rooms.filter { $0.settings[.wifiSSID] == nil }.map(\.name) == ["Cellar"])
  }

  @Test("the example of an office floor leaves its addresses for later")
  func office() throws {
    let office = try building("office")
    #expect(office.rooms.count == 36)
    #expect(office.rooms.prefix(32).map(\.minor) == (301...332).map { UInt16($0) })
    #expect(office.rooms.allSatisfy { $0.floor == "3" && $0.address == nil && $0.retries == 3 })
    #expect(office.rooms.filter { $0.tags == ["laboratory"] }.map(\.name) == ["Office 313"])
    #expect(office.rooms[12].settings[.wifiSSID] == .text("Mill Lab"))
    #expect(office.rooms.filter { $0.tags == ["meeting"] }.map(\.minor) == [1, 2, 3, 4])
    #expect(office.assignment == .later)
    #expect(office.adapters.map(\.place) == ["by the window, east side"])
  }

  @Test("the example of a hotel gives 300 rooms from 40 lines and a table")
  func hotel() throws {
    let text = try String(contentsOf: projectFile("manifests/hotel.yaml"), encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
    let hotel = try building("hotel")
    #expect(hotel.rooms.count == 302)
    #expect(hotel.rooms.allSatisfy { $0.address != nil && $0.settings[.wifiSSID] != nil })
    #expect(hotel.rooms.count { $0.tags == ["suite"] } == 20)
    #expect(hotel.rooms.filter { $0.floor == "3" }.map(\.minor) == (301...330).map { UInt16($0) })
    #expect(hotel.rooms.count { $0.settings[.wifiSSID] == .text("Grand Staff") } == 4)
  }

  @Test("the example of a QA bench has its rooms and settings")
  func bench() throws {
    let bench = try building("qa-bench")
    #expect(bench.rooms.map(\.name).first == "Slot 01")
    #expect(bench.rooms.map(\.minor) == (60001...60012).map { UInt16($0) })
    #expect(bench.assignment == .any)
    #expect(bench.rooms.allSatisfy { $0.retries == 0 && $0.timeouts.search == .seconds(30) })
  }
}

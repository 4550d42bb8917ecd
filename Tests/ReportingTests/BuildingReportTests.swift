import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("The state of a building")
struct BuildingReportTests {
  /// A building in which every room was done on the first day.
  private static func done() -> SampleBuilding {
    var building = SampleBuilding(rooms: 2)
    var run = SampleRun(building, day: 0)
    run.survey(building.rooms)
    for room in building.rooms { run.write(room) }
    run.end(.complete)
    building.add(run)
    return building
  }

  private static func manifest(_ rooms: [PlannedRoom]) -> BuildingReport.Manifest {
    .init(path: "manifests/harbour-house.yaml", sha256: "0", rooms: rooms.wanted)
  }

  @Test("a room is not done if the manifest names another device than the written one")
  func anotherDevice() {
    let building = Self.done()
    var rooms = building.rooms
    #expect(building.report(Self.manifest(rooms)).rooms.map(\.state) == [.done, .done])
    rooms[1].address = .sensor(77)
    let report = building.report(Self.manifest(rooms))
    #expect(report.rooms.map(\.state) == [.done, .changed])
    #expect(!report.isDone && report.open.map(\.id) == [rooms[1].room])
  }

  @Test("a building without a room is not done")
  func empty() {
    #expect(!SampleBuilding([]).report().isDone)
    #expect(Self.done().report().isDone)
  }
}

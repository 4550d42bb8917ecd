import Bluetooth
import Foundation
import FoundationXML
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("junit.xml")
struct JUnitReportTests {
  private static let timeout = FailureReason.connectTimedOut(seconds: 3)
  private static let outage = FailureReason.adapterLost(.during(FailedStep(.connect, stackText: "<gone>")))

  /// The test cases of a building's file, by the name of the room.
  private static func cases(of building: SampleBuilding) throws -> [String: FoundationXML.XMLElement] {
    let document = try FoundationXML.XMLDocument(xmlString: JUnitReport.text(building.report()))
    let suite = try #require(document.rootElement()?.elements(forName: "testsuite").first)
    return Dictionary(
      uniqueKeysWithValues: suite.elements(forName: "testcase").map { element in
        (String((element.attribute(forName: "name")?.stringValue ?? "").prefix { $0 != " " }), element)
      })
  }

  /// Ends a room with a successful outcome.
  private static func finish(
    _ room: PlannedRoom, _ outcome: Outcome, in run: inout SampleRun, attempts: Int
  ) {
    let address = room.address ?? .sensor(0)
    run.at(
      40,
      .roomFinished(
        .init(
          room: room.room, outcome: outcome, address: address, attempts: attempts, seconds: 9,
          evidence: Evidence(grade: .beaconOnAir, address: address, identity: room.identity),
          settings: room.proved)
      ))
  }

  @Test("a done room lists its failed attempts as flaky failures, for any successful outcome")
  func flaky() throws {
    var building = SampleBuilding(["retried", "outage", "unchanged", "at-once", "failed"])
    let rooms = building.rooms
    var run = SampleRun(building, day: 0)
    run.survey(rooms)
    run.write(rooms[0], failure: Self.timeout)
    run.write(rooms[0], 2, failure: .linkLost(FailedStep(.save)))
    run.write(rooms[0], 3)
    // The outage is not charged to the device: the room counts as done at the first attempt.
    run.write(rooms[1], failure: Self.outage)
    Self.finish(rooms[1], .provisioned, in: &run, attempts: 2)
    run.write(rooms[2], failure: Self.timeout)
    Self.finish(rooms[2], .alreadyProvisioned, in: &run, attempts: 2)
    run.write(rooms[3])
    run.write(rooms[4], failure: Self.timeout, outcome: .unreachable)
    run.end(.incomplete)
    building.add(run)

    let cases = try Self.cases(of: building)
    func types(_ room: String) -> [String?] {
      (cases[room]?.elements(forName: "flakyFailure") ?? []).map {
        $0.attribute(forName: "type")?.stringValue
      }
    }
    #expect(types("retried") == ["connect_timed_out", "link_lost"])
    #expect(types("outage") == ["adapter_lost"])
    #expect(types("unchanged") == ["connect_timed_out"])
    #expect(types("at-once") == [] && types("failed") == [])
    #expect(cases["failed"]?.elements(forName: "error").count == 1)
    // The schema of Maven Surefire requires a type and exactly one stack trace.
    for flaky in cases.values.flatMap({ $0.elements(forName: "flakyFailure") }) {
      #expect(flaky.children?.compactMap(\.name) == ["stackTrace"])
      #expect(flaky.attribute(forName: "message")?.stringValue?.hasPrefix("attempt ") == true)
    }
    let trace = cases["outage"]?.elements(forName: "flakyFailure").first?.stringValue
    #expect(
      trace == "attempt 1 on \(SampleBuilding.adapters[0]) in connect: adapter lost; stack error: <gone>")
  }

  @Test("the suite counts its cases by result, and accepted and retired rooms are skipped")
  func counts() throws {
    let document = try FoundationXML.XMLDocument(xmlString: JUnitReport.text(SampleBuilding.varied()))
    let suite = try #require(document.rootElement()?.elements(forName: "testsuite").first)
    let cases = suite.elements(forName: "testcase")
    func total(_ attribute: String) -> Int? {
      suite.attribute(forName: attribute)?.stringValue.flatMap { Int($0) }
    }
    func count(_ child: String) -> Int { cases.count { !$0.elements(forName: child).isEmpty } }
    #expect(total("tests") == cases.count)
    #expect(total("failures") == count("failure"))
    #expect(total("errors") == count("error"))
    #expect(total("skipped") == count("skipped"))
    let varied = SampleBuilding.varied()
    #expect(
      count("error") == varied.rooms.count { $0.state == .open && $0.last?.room.outcome == .unreachable })
    #expect(count("error") != count("failure") && count("error") > 0)
    #expect(
      count("skipped")
        == varied.count(.accepted) + varied.count(.retired) + varied.count(.untried))
    #expect(varied.count(.accepted) > 0)
  }

  @Test("a later run that found the room done lists no attempt")
  func foundDone() throws {
    var building = SampleBuilding(["retried"])
    let room = building.rooms[0]
    var first = SampleRun(building, day: 0)
    first.write(room, failure: Self.timeout)
    first.write(room, 2)
    first.end(.complete)
    building.add(first)
    var second = SampleRun(building, day: 1)
    second.recall(room, received: true, since: first)
    second.end(.complete)
    building.add(second)
    #expect(try Self.cases(of: building)["retried"]?.children?.isEmpty ?? true)
  }
}

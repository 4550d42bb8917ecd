import Bluetooth
import Foundation
import Model
import Testing

@Suite("saved plans") struct SavedPlanTests {
  @Test("a plan with a duplicate room is rejected")
  func roomTwice() throws {
    let steps = [
      PlannedStep(room: "lobby", name: "Lobby", action: .stop),
      PlannedStep(room: "lobby", name: "Lobby", action: .provision),
      PlannedStep(room: "attic", name: "Attic", action: .provision),
    ]
    let twice = try JSONEncoder().encode(ApplyPlan(building: "b", manifestSHA256: "", rooms: steps))
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ApplyPlan.self, from: twice) }
    let plan = ApplyPlan(building: "b", manifestSHA256: "", rooms: Array(steps[1...]))
    #expect(try JSONDecoder().decode(ApplyPlan.self, from: JSONEncoder().encode(plan)) == plan)
  }

  private static let device = BluetoothAddress(rawValue: 1)

  private static func step(
    _ action: PlannedStep.Action, registered: Bool? = nil, at address: BluetoothAddress? = nil
  ) -> PlannedStep {
    PlannedStep(room: "lobby", name: "Lobby", action: action, registered: registered, address: address)
  }

  @Test(
    "plans are compared by action and address; whether a registered room is received makes no difference",
    arguments: [
      (step(.done), step(.await), true), (step(.provision), step(.provision, at: device), true),
      (step(.provision), step(.provision), false), (step(.done), step(.done, at: device), true),
      (step(.done, registered: true), step(.await, registered: true), false),
      (step(.done, registered: true), step(.done, registered: true, at: device), false),
      (step(.stop, registered: true), step(.done, registered: true), true),
      (step(.stop, registered: true), step(.provision, registered: true), true),
      (step(.done, registered: false), step(.await, registered: false), true),
    ])
  func differences(planned: PlannedStep, found: PlannedStep, areDifferent: Bool) {
    func plan(_ rooms: [PlannedStep]) -> ApplyPlan {
      ApplyPlan(building: "b", manifestSHA256: "", rooms: rooms)
    }
    #expect(
      plan([planned]).differences(from: plan([found]))
        == (areDifferent ? [PlanDifference(planned: planned, found: found)] : []))
    #expect(plan([planned]).differences(from: plan([])) == [PlanDifference(planned: planned, found: nil)])
    #expect(plan([]).differences(from: plan([found])) == [PlanDifference(planned: nil, found: found)])
  }

  @Test("a plan selects the rooms that were not left out, also if those are none")
  func selection() {
    var (lobby, attic) = (Self.step(.provision), Self.step(.exclude))
    (attic.room, attic.exclusion) = ("attic", Exclusion(.deselected))
    func selection(_ rooms: [PlannedStep]) -> RoomSelection {
      ApplyPlan(building: "b", manifestSHA256: "", rooms: rooms).selection
    }
    #expect(selection([lobby, attic]) == RoomSelection(only: ["lobby"]))
    lobby.exclusion = Exclusion(.accepted)
    #expect(selection([lobby, attic]) == RoomSelection(only: ["lobby"]))
    #expect(selection([attic]) == RoomSelection(skip: ["attic"]) && !selection([attic]).names("attic"))
  }
}

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
}

import Bluetooth
import Engine
import Foundation
import Testing

import Families
@testable import Model

@Suite("references to secrets")
struct SecretReferenceTests {
  private static let seal = SecretSeal(key: "k") { "sealed \($0)" }

  private static func room(_ secret: Secret, id: RoomID = "r") -> Room {
    Room(
      id: id, name: "R", family: .roboSensor,
      settings: [.wifiSSID: .text("G"), .wifiPassword: .secret(secret)],
      timeouts: StageTimeouts(), retries: 0)
  }

  private static let reference = SecretReference(.environment("W"), file: "b.yaml", line: 3, column: 4)

  @Test("references to the same source are equal, except that the operator is asked at each place")
  func identity() {
    let other = SecretReference(.environment("W"), file: "c.yaml", line: 9, column: 9)
    #expect(Self.reference.identity == other.identity)
    let files = ["b.yaml", "b.yaml", "c.yaml"].enumerated().map { number, file in
      SecretReference(.file("wifi"), file: file, line: number, column: number).identity
    }
    #expect(files[0] == files[1] && files[0] != files[2], "a path is relative to its manifest")
    #expect(Self.reference != other)
    let prompts = [3, 9].map { SecretReference(.prompt, file: "b.yaml", line: $0, column: 4) }
    #expect(prompts[0].identity != prompts[1].identity)
  }

  @Test("references and stand-ins have no fingerprint")
  func fingerprint() {
    func results(_ secret: Secret) -> [SettingResult] {
      Self.room(secret).settingResults(Self.seal) { _ in .written }.filter { $0.name == .wifiPassword }
    }
    #expect(results(Secret(Self.reference)).map(\.fingerprint) == [nil])
    #expect(results(.standIn("hunter2345")).map(\.fingerprint) == [nil])
    #expect(results(Secret("hunter2345")).map(\.fingerprint) == ["sealed r/wifi_password/hunter2345"])

    let lastWrite = LastWrite(
      address: .init(rawValue: 1), state: .submitted, settings: results(Secret("hunter2345")), identity: nil,
      sealKey: "k",
      run: "r", at: .init(timeIntervalSince1970: 0))
    func isSatisfied(_ secret: Secret) -> Bool {
      let planned = PlannedRoom(room: "r", name: "R", profile: "robo-sensor", settings: results(secret))
      return WantedRoom(planned, sealKey: "k", expected: []).changes(from: lastWrite).isEmpty
    }
    #expect(isSatisfied(Secret(Self.reference)) && isSatisfied(.standIn("another")))
    #expect(isSatisfied(Secret("hunter2345")) && !isSatisfied(Secret("another1")))
  }

  @Test("each reference is replaced by its secret")
  func resolving() throws {
    let prompt = Secret(SecretReference(.prompt, file: "b.yaml", line: 5, column: 4))
    let building = Building(
      id: "b", name: "B",
      rooms: [
        Self.room(Secret(Self.reference)), Self.room(prompt, id: "s"), Self.room(Secret("literal1"), id: "t"),
      ], families: FamilyCatalogue.builtIn)
    let resolved = building.resolvingSecrets { $0 == Self.reference ? Secret("hunter2345") : nil }
    #expect(resolved.rooms.flatMap(\.secrets) == [Secret("hunter2345"), prompt, Secret("literal1")])
    #expect("\(resolved)".contains("hunter2345") == false)
  }

  @Test("the passwords of a plan agree while they are equal or cannot be compared")
  func plans() throws {
    let rooms = [Self.room(Secret("hunter2345")), Self.room(Secret(Self.reference), id: "s")]
    let sealed = try #require(SealedPasswords(of: rooms, Self.seal))
    #expect(sealed.agrees(with: rooms, Self.seal))
    #expect(!sealed.agrees(with: [Self.room(Secret("another1"))], Self.seal))
    let other = SecretSeal(key: "k2") { "sealed \($0)" }
    #expect(sealed.agrees(with: [Self.room(Secret("another1"))], other) && sealed.agrees(with: [], nil))
    #expect(sealed.agrees(with: [Self.room(.standIn("another1"))], Self.seal))
    #expect(SealedPasswords(of: [Self.room(.standIn("another1"))], Self.seal) == nil)
    #expect(SealedPasswords(of: [rooms[1]], Self.seal) == nil)
  }

  @Test("a reference is not redacted")
  func redactor() {
    #expect(Redactor([Secret(Self.reference)]).isEmpty)
    #expect(Redactor([Secret(Self.reference), .standIn("hunter2345")])("it is hunter2345") == "it is •••")
  }

  @Test("a run with an unresolved secret does not begin")
  func refusal() async throws {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var room = Sample.room(1, address: 1)
      room.settings[.wifiPassword] = .secret(
        Secret(SecretReference(.environment("W"), file: "b.yaml", line: 3, column: 4)))
      _ = try await Self.outcomes([room])
    }
    let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the secrets of the selected rooms must be resolved before a run"), "\(text)")
    // Without the unresolved secret the process succeeds.
    await #expect(processExitsWith: .success) {
      let outcomes = try await Self.outcomes([Sample.room(1, address: 1)])
      precondition(outcomes == [.provisioned])
    }
  }

  private static func outcomes(_ rooms: [Room]) async throws -> [Outcome] {
    try await rehearse([[]], rooms: rooms).result.rooms.map(\.outcome)
  }

  @Test("a secret may stay unresolved when its room is not selected")
  func unselected() async throws {
    var other = Sample.room(2, address: 2)
    other.settings[.wifiPassword] = .secret(Secret(Self.reference))
    let run = try await rehearse(
      [[], []], rooms: [Sample.room(1, address: 1), other],
      request: { $0.excluded = ["room-2": Exclusion(.deselected)] })
    #expect(run.result.rooms.map(\.outcome) == [.provisioned])
  }
}

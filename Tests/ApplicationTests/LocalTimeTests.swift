import FoundationEssentials
import Host
import Reporting
import Testing

@testable import Application

@Suite("time zones") struct LocalTimeTests {
  @Test("a zone of the system's database gives local times, in summer and in winter")
  func zone() throws {
    let zone = try #require(LocalTime.of("America/New_York"))
    let (winter, summer) = (
      Date(timeIntervalSince1970: 1_795_687_200), Date(timeIntervalSince1970: 1_782_000_000)
    )
    #expect(zone.minute(winter) + zone.offset(winter) == "2026-11-26 05:00UTC-05:00")
    #expect(zone.minute(summer) + zone.offset(summer) == "2026-06-20 20:00UTC-04:00")
    #expect(LocalTime.of("Nowhere/Land") == nil)
  }

  @Test("the identifier of this computer's time zone gives the local times")
  func here() throws {
    let named = try #require(LocalTime.of(LocalTime.identifierHere))
    let at = Date(timeIntervalSince1970: 1_795_687_200)
    #expect(named.offset(at) == LocalTime.here.offset(at))
  }
}

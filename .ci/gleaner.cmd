@echo off
rem Starts Gleaner's command line with the JDK 25 of JAVA_HOME, or with the java on the PATH.
rem GLEANER_JAVA_OPTS: options for the JVM.
setlocal
set "JAVA=java"
if defined JAVA_HOME if exist "%JAVA_HOME%\bin\java.exe" set "JAVA=%JAVA_HOME%\bin\java.exe"
"%JAVA%" -version >nul 2>&1
if errorlevel 1 (
  echo gleaner: JDK 25 or newer is needed, and there is none in JAVA_HOME nor on the PATH.>&2
  exit /b 2
)
"%JAVA%" --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:-UsePerfData %GLEANER_JAVA_OPTS% -cp "%~dp0gleaner-lab.jar" dev.gleaner.lab.Main %*
exit /b %ERRORLEVEL%
